// Plays attack classes, limited in number and time, and counts refusals, their kinds, and
// acceptances.
import type { AttackClass, Attempt } from './attack-class.ts';
import type { Stage } from './stage.ts';

export interface Played {
  name: string;
  attempts: number;
  /** Outcomes that are no refusals, with their counts. */
  accepted: ReadonlyMap<string, number>;
  refused: ReadonlyMap<string, number>;
  /** Reason why the class was skipped or aborted. */
  trouble?: string;
  /** Sentence that the class adds to its refusals. */
  remark?: string;
  /** Attempts that there was no time for. */
  cutShort?: number;
  milliseconds: number;
}

export interface Bounds {
  /** Maximum attempts per class. Default: defined by the class. */
  attempts?: number;
  /** Time after which no attempt of a class starts. */
  secondsPerClass: number;
}

export function countOf(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

/** Neither accepted nor skipped. */
export function isSound({ accepted, trouble, attempts }: Played): boolean {
  return accepted.size === 0 && trouble === undefined && attempts > 0;
}

export async function playClass(attack: AttackClass, stage: Stage, bounds: Bounds): Promise<Played> {
  const begun = performance.now();
  const accepted = new Map<string, number>();
  const refused = new Map<string, number>();
  const note = (counts: Map<string, number>, label: string) => counts.set(label, (counts.get(label) ?? 0) + 1);
  let attempts = 0;
  let cutShort = 0;
  let trouble: string | undefined;
  let remark: string | undefined;
  stage.speaker.takeFailures();
  try {
    const attempt = await attack.begin(stage, (sentence) => {
      remark = sentence;
    });
    const wanted = Math.min(bounds.attempts ?? attack.attempts, attack.attempts);
    const until = performance.now() + bounds.secondsPerClass * 1_000;
    await inLanes(attack.atOnce ?? 1, wanted, until, async (round) => {
      const label = await tell(attempt, round);
      attempts += 1;
      note(attack.refusals.includes(label) ? refused : accepted, label);
    });
    cutShort = wanted - attempts;
  } catch (error) {
    trouble = sentenceOf(error);
  }
  for (const failure of stage.speaker.takeFailures()) note(accepted, `500 on ${failure}`);
  const milliseconds = Math.round(performance.now() - begun);
  return {
    name: attack.name,
    attempts,
    accepted,
    refused,
    milliseconds,
    ...(trouble !== undefined && { trouble }),
    ...(remark !== undefined && { remark }),
    ...(cutShort > 0 && { cutShort }),
  };
}

async function tell(attempt: Attempt, round: number): Promise<string> {
  try {
    return await attempt(round);
  } catch (error) {
    // An attempt that could not be made was not refused.
    return `broken off: ${sentenceOf(error)}`;
  }
}

async function inLanes(lanes: number, count: number, until: number, work: (round: number) => Promise<void>) {
  let next = 0;
  const lane = async () => {
    while (next < count && performance.now() < until) await work(next++);
  };
  await Promise.all(Array.from({ length: Math.min(lanes, count) }, lane));
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 300) : 'unknown';
}
