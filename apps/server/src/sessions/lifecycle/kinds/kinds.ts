// The kinds of sessions, and what is sealed in the rows of each. Another kind is another entry, then what no longer compiles.
import type { AgeContents, AgeSessionOutcome } from './age.ts';
import type { VerificationContents, VerificationOutcome } from './verification.ts';

export interface SessionKinds {
  age: { contents: AgeContents; outcome: AgeSessionOutcome };
  verification: { contents: VerificationContents; outcome: VerificationOutcome };
}

export type SessionKind = keyof SessionKinds;

const EVERY_KIND: Readonly<Record<SessionKind, true>> = { age: true, verification: true };

export const SESSION_KINDS = Object.keys(EVERY_KIND) as readonly SessionKind[];

/** A newer version may have written rows of a kind that this one does not know. */
export function isKnownKind(kind: string): kind is SessionKind {
  return Object.hasOwn(EVERY_KIND, kind);
}
