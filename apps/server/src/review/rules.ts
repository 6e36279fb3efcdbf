// What follows from what a reviewer says of a case.
import { AppError, invalid } from '../platform/base/errors.ts';
import { type Actor, type CaseContent, type CaseRow, type Opinion, VERDICTS, type Verdict } from './case.ts';

/** How many people must agree. */
export type PairsOfEyes = 1 | 2;

export type Step =
  /** It waits for a second pair of eyes. */
  | { act: 'proposed'; content: CaseContent }
  /** The second pair saw it differently: it is open again for both. */
  | { act: 'objected'; content: CaseContent }
  | { act: 'decided'; content: CaseContent; decided: Opinion };

export function judge(
  { kind, state }: Pick<CaseRow, 'kind' | 'state'>,
  content: CaseContent,
  eyes: PairsOfEyes,
  actor: Actor,
  { verdict, reason, at }: { verdict: Verdict; reason: string; at: number },
): Step {
  const fitting: readonly Verdict[] = VERDICTS[kind];
  if (!fitting.includes(verdict)) {
    throw invalid('body.verdict', `must be ${fitting.join(' or ')}: that is how a case of this kind is decided`);
  }
  if (state === 'decided') throw new AppError('case_decided', 'The case has been decided already.');
  const opinion: Opinion = { verdict, reason, by: actor.name, at };
  const { proposed, ...rest } = content;
  if (eyes === 1) return { act: 'decided', content: { ...rest, decided: opinion }, decided: opinion };
  if (!proposed) return { act: 'proposed', content: { ...rest, proposed: { ...opinion, operatorId: actor.id } } };
  if (proposed.operatorId === actor.id) {
    throw new AppError('second_pair_needed', 'Somebody else has to confirm what you proposed.');
  }
  if (proposed.verdict !== verdict) return { act: 'objected', content: rest };
  return { act: 'decided', content: { ...rest, decided: opinion }, decided: opinion };
}
