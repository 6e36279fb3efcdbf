// What a device saw of its browser, as the host is told it.
import { Indicators, type SeenIndicators } from '@limen/contract';

/** The names that were seen become a yes or no for each; undefined when one of them is not known. */
export function readIndicators(seen: SeenIndicators): Indicators | null | undefined {
  if (seen === null) return null;
  const read = new Map<string, Record<string, boolean>>();
  for (const [group, { properties }] of Object.entries(Indicators.properties)) {
    const names = Object.keys(properties);
    const raised = seen[group as keyof Indicators];
    if (!raised.every((name) => names.includes(name))) return undefined;
    read.set(group, Object.fromEntries(names.map((name) => [name, raised.includes(name)])));
  }
  return Object.fromEntries(read) as unknown as Indicators;
}
