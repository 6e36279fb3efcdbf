// Judges a step log by a regular expression: another way than the service's, to check the vectors by.
import type { LogEntry, PlanStep } from '@limen/contract';

interface Course {
  steps: readonly PlanStep[];
  stepsDue: readonly number[];
  cutShort: boolean;
}

const LETTERS = { started: 's', shown: 'h', done: 'd', retried: 'r', finished: 'f' } as const;

export function isLegal(log: readonly LogEntry[], { steps, stepsDue, cutShort }: Course): boolean {
  if (log.length > 80 || !areInTime(log, steps)) return false;
  const form = new RegExp(`^${stepsDue.map((index) => formOf(index, steps[index]!)).join('')}$`);
  const written = log.map(([event, index]) => `${LETTERS[event]}${index} `);
  if (!cutShort) return form.test(written.join(''));
  // It was found in the last step that was due, and some end of the shortest whole course makes it whole.
  if (!written.includes(`s${stepsDue.at(-1)} `)) return false;
  const course = stepsDue.flatMap((index) => [`s${index} `, ...challengesOf(steps[index]!), `f${index} `]);
  return course.some((_, from) => form.test([...written, ...course.slice(from)].join('')));
}

/** Begun, any number of attempts that were given up somewhere, one whole attempt, finished. */
function formOf(index: number, step: PlanStep): string {
  const parts = challengesOf(step);
  const anyBeginning = parts.reduceRight((rest, part) => `(?:${part}${rest})?`, '');
  return `s${index} (?:${anyBeginning}r${index} )*${parts.join('')}f${index} `;
}

function challengesOf(step: PlanStep): string[] {
  return step.step === 'face' ? step.challenges.flatMap((_, index) => [`h${index} `, `d${index} `]) : [];
}

function areInTime(log: readonly LogEntry[], steps: readonly PlanStep[]): boolean {
  const [limitMs] = steps.flatMap((step) => (step.step === 'face' ? [step.challengeMs] : []));
  return log.every(([event, , at], position) => {
    const shown = log[position - 1];
    return event !== 'done' || shown?.[0] !== 'shown' || limitMs === undefined || at - shown[2] <= limitMs;
  });
}
