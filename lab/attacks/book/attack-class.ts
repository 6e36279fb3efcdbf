// Definition of an attack class: the attacker, the promise that stands against it, and the outcomes
// that count as refusals.
import type { Stage } from './stage.ts';

/** Requirements of a class on the service under attack. */
export type Need =
  /** Anyone who reaches the service can attempt it. */
  | 'nobody'
  /** One test key. */
  | 'a test key'
  /** Keys of several customers and both worlds. Needs the book's own service. */
  | 'many keys';

/** Requirements as shown to readers. */
export const PLAYED_WITH: Readonly<Record<Need, string>> = {
  nobody: 'no key',
  'a test key': 'one key',
  'many keys': 'its own service',
};

/** One attempt. Returns its outcome in a few words, such as `404 not_found`. */
export type Attempt = (round: number) => Promise<string>;

/** Replaces the table's sentence about the refusals of the class. */
export type Remark = (sentence: string) => void;

export interface AttackClass {
  /** Name on the command line. */
  name: string;
  /** Consequence of an acceptance. */
  prevents: string;
  /** Document and section of the promise. */
  promise: string;
  needs: Need;
  /** Outcomes that count as refusals. All others count as accepted. */
  refusals: readonly string[];
  /** Attempts in a full run. */
  attempts: number;
  /** Attempts in the short suite. Default: one. */
  attemptsInSuite?: number;
  /** Concurrent attempts. Default: one. */
  atOnce?: number;
  /** Takes human time or many faces, so the short suite skips it. */
  isLong?: true;
  /** A missing requirement of this machine, which skips the class with a note. */
  lacks?(): string | undefined;
  /** Prepares the attempts and first proves that the legitimate flow works. */
  begin(stage: Stage, remark: Remark): Promise<Attempt>;
}

/** For the legitimate flow, in `begin`. */
export function expectHonest(works: boolean, what: string): void {
  if (!works) throw new Error(`the honest way does not work: ${what}`);
}

/** Cycles through a list. */
export function inTurn<T>(list: readonly T[], round: number): T {
  return list[round % list.length]!;
}
