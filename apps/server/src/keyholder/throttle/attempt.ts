// What is known of a challenge once it is begun.
import type { AboutAttempt } from '../../core/keyholder/keyholder.ts';
import type { Ranking } from '../compare/ranking.ts';
import type { Attempt } from './throttle.ts';

export interface AttemptState {
  readonly about: AboutAttempt;
  readonly ranking: Ranking;
  readonly throttle: Attempt;
  /** Calls about one challenge run one after another: rows count in the order in which they came. */
  queue: Promise<unknown>;
  /** Rows that were there when it was first decided; undefined before. */
  firstRows?: number;
  /** The last answer, and on how many rows. */
  answer?: { best: number | null; rows: number };
  /** Whether the service has said who it was: what came of it is counted then. */
  isSettled: boolean;
  /** How often it was decided. */
  decisions: number;
  /** Whether its face was given a body under the enrol key. */
  isAdopted: boolean;
}
