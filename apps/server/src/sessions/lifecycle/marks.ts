// What sessions are found by in the console beside their own columns. Only digests are stored: whoever reads the database learns
// neither what came of a session nor what its host calls it.
import type { Sealer } from '../../platform/sealing/sealer.ts';
import type { AgeSessionOutcome } from './kinds.ts';
import type { AnySession } from './session.ts';

export interface Mark {
  kind: 'outcome' | 'recommendation' | 'flag' | 'transaction';
  value: string;
}

type SessionOutcome = NonNullable<AnySession['outcome']>;

/** When it is made. */
export function marksOfContents(contents: AnySession['contents']): Mark[] {
  const transactionId = 'transactionId' in contents ? contents.transactionId : undefined;
  return transactionId === undefined ? [] : [{ kind: 'transaction', value: transactionId }];
}

/** When it ends. */
export function marksOfOutcome(outcome: SessionOutcome): Mark[] {
  const { recommendation, flags } = outcome.riskEvaluation;
  return [
    { kind: 'outcome', value: outcomeName(outcome) },
    { kind: 'recommendation', value: recommendation },
    ...[...new Set(flags)].map((value) => ({ kind: 'flag', value }) as const),
  ];
}

/** How it came out, in the word that its host is told. */
export function outcomeName(outcome: SessionOutcome): string {
  return isOfAge(outcome) ? outcome.sessionStatus : outcome.status;
}

function isOfAge(outcome: SessionOutcome): outcome is AgeSessionOutcome {
  return 'sessionStatus' in outcome;
}

export function digestMark(sealer: Pick<Sealer, 'digest'>, { kind, value }: Mark): Buffer {
  return sealer.digest('sessions/marks', `${kind}\n${value}`);
}
