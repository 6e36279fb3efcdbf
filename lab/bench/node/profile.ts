// CPU profile of the service's main thread under load, by function.
import { type CpuProfile, profileWhile } from '../shared/cpu-profile.ts';

const SHOWN = 25;

export async function printProfile(
  inspector: string,
  name: string,
  work: () => Promise<{ requests: number }>,
): Promise<void> {
  let requests = 0;
  const profile = await profileWhile(inspector, async () => {
    ({ requests } = await work());
  });
  const times = timeByFunction(profile);
  const all = [...times.values()].reduce((sum, micros) => sum + micros, 0);
  const busy = all - ([...times].find(([called]) => called.startsWith('(idle)'))?.[1] ?? 0);
  console.log(
    `\n  ${name} keeps the main thread busy for ${(busy / requests).toFixed(0)} µs a request; by function, without what it calls:`,
  );
  for (const [called, micros] of [...times].toSorted(([, a], [, b]) => b - a).slice(0, SHOWN)) {
    console.log(`  ${((100 * micros) / all).toFixed(1).padStart(5)} %  ${called}`);
  }
}

function timeByFunction({ nodes, samples, timeDeltas }: CpuProfile): Map<string, number> {
  const names = new Map(
    nodes.map(({ id, callFrame: { functionName, url } }) => [
      id,
      `${functionName || '(anonymous)'} ${url.replace(/^.*\/(?=(apps|packages|node_modules)\/)/, '')}`,
    ]),
  );
  const times = new Map<string, number>();
  for (const [i, id] of samples.entries()) {
    const name = names.get(id) ?? '?';
    times.set(name, (times.get(name) ?? 0) + timeDeltas[i]!);
  }
  return times;
}
