// What a class of attacks is: who tries what, which promise stands against it, and which answers count as a refusal.
import type { Stage } from './stage.ts';

/** What a class needs of the service that it is played against. */
export type Need =
  /** Nothing: whoever reaches the service can try it. */
  | 'nobody'
  /** One test key. */
  | 'a test key'
  /** Keys of several customers and of both worlds, with client credentials and without: a service of one's own. */
  | 'many keys';

/** The needs as a reader is told them: what a class is played with. */
export const PLAYED_WITH: Readonly<Record<Need, string>> = {
  nobody: 'no key',
  'a test key': 'one key',
  'many keys': 'its own service',
};

/** One attempt. It tells what came of it in a few words, such as `404 not_found`. */
export type Attempt = (round: number) => Promise<string>;

/** Replaces the sentence that the table shows next to the refusals of the class. */
export type Remark = (sentence: string) => void;

export interface AttackClass {
  /** As it is called on the command line. */
  name: string;
  /** What would be lost if it were accepted. */
  prevents: string;
  /** The document that promises it, with its section. */
  promise: string;
  needs: Need;
  /** What an attempt may tell. Whatever else it tells counts as accepted. */
  refusals: readonly string[];
  /** Attempts of a whole run. */
  attempts: number;
  /** Attempts in the short suite; one unless it says otherwise. */
  attemptsInSuite?: number;
  /** Attempts under way together; one at a time unless it says otherwise. */
  atOnce?: number;
  /** It takes the time that people take, or many faces: the short suite leaves it to the long one. */
  isLong?: true;
  /** What this machine would need for it and does not have; then it is left out with a word. */
  lacks?(): string | undefined;
  /** Makes what the attempts need, and shows first that the honest way works: otherwise a refusal would say nothing. */
  begin(stage: Stage, remark: Remark): Promise<Attempt>;
}

/** For the honest way, in `begin`. */
export function expectHonest(works: boolean, what: string): void {
  if (!works) throw new Error(`the honest way does not work: ${what}`);
}

/** Walks through a list, round by round. */
export function inTurn<T>(list: readonly T[], round: number): T {
  return list[round % list.length]!;
}
