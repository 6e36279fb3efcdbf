// A challenge once it is begun: in the memory of the key-holder that it was begun at, whose end is its end.
import type { ProbeSecret, SecretKey } from '@limen/token/keyholder';
import type { Ranking } from '../compare/ranking.ts';
import type { AboutAttempt, ChallengeAsk } from '../link/calls.ts';
import type { Attempt } from './throttle.ts';

export interface BegunChallenge {
  readonly id: string;
  readonly ask: ChallengeAsk;
  readonly key: SecretKey;
  /** By this machine's clock that only runs forward. */
  readonly endsAt: number;
  readonly attempt: AttemptState;
}

export interface AttemptState {
  readonly about: AboutAttempt;
  readonly ranking: Ranking;
  /** The keys of the folded probe, by the epoch whose blocks it meets. */
  readonly folded: Map<string, ProbeSecret>;
  /** What the throttle counts it as. */
  readonly counted: Attempt;
  /** Calls about one challenge run one after another: rows count in the order in which they came. */
  queue: Promise<unknown>;
  /** Rows that were there when it was first decided; undefined before. */
  firstRows?: number;
  /** The last answer, and on how many rows. */
  answer?: { best: number | null; rows: number };
  /** Whether what came of it is counted. */
  isCounted: boolean;
  /** How often it was decided. */
  decisions: number;
  /** Whether its face was given a body under the enrol key. */
  isAdopted: boolean;
}
