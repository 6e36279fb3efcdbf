// Marks by which the console finds sessions, stored as digests that reveal nothing.
import type { Sealer } from '../../platform/sealing/sealer.ts';
import type { AnySession } from './session.ts';

export interface SessionMark {
  kind: 'outcome' | 'recommendation' | 'flag' | 'transaction';
  value: string;
}

type SessionOutcome = NonNullable<AnySession['outcome']>;

export function marksOfContents(contents: AnySession['contents']): SessionMark[] {
  const transactionId = 'transactionId' in contents ? contents.transactionId : undefined;
  return transactionId === undefined ? [] : [{ kind: 'transaction', value: transactionId }];
}

export function marksOfOutcome(outcome: SessionOutcome): SessionMark[] {
  const { recommendation, flags } = outcome.riskEvaluation;
  return [
    { kind: 'outcome', value: outcomeName(outcome) },
    { kind: 'recommendation', value: recommendation },
    ...[...new Set(flags)].map((value) => ({ kind: 'flag', value }) as const),
  ];
}

export function outcomeName(outcome: SessionOutcome): string {
  return 'sessionStatus' in outcome ? outcome.sessionStatus : outcome.status;
}

export function digestMark(sealer: Pick<Sealer, 'digest'>, { kind, value }: SessionMark): Buffer {
  return sealer.digest('sessions/marks', `${kind}\n${value}`);
}
