// The kinds of sessions, and what is sealed in the rows of each. Another kind is another entry, then what no longer compiles.
import type { AgeContents, SealedAgeOutcome } from './age.ts';
import type { SealedVerificationOutcome, VerificationContents } from './verification.ts';

export interface SessionKinds {
  age: { contents: AgeContents; outcome: SealedAgeOutcome };
  verification: { contents: VerificationContents; outcome: SealedVerificationOutcome };
}

export type SessionKind = keyof SessionKinds;

export const SESSION_KINDS = ['age', 'verification'] as const satisfies readonly SessionKind[];
