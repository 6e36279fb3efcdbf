// What a check of the doctor is: a function from the facts to findings.
import type { Config } from '../../../config.ts';
import type { Clock } from '../../../platform/base/clock.ts';
import type { Database } from '../../../platform/database/database.ts';

export interface Finding {
  level: 'ok' | 'warning' | 'failure';
  /** What was found. Never a secret. */
  found: string;
  /** How to put it right. */
  remedy?: string;
}

export interface Facts {
  config: Config;
  clock: Clock;
  database: DatabaseFacts;
}

export type DatabaseFacts =
  /** Open for reading only. */
  | { state: 'answers'; database: Database }
  /** There is no file yet. */
  | { state: 'absent' }
  | { state: 'silent'; problem: string };

export type Check = (facts: Facts) => Promise<Finding[]>;

export function ok(found: string): Finding {
  return { level: 'ok', found };
}

export function warning(found: string, remedy: string): Finding {
  return { level: 'warning', found, remedy };
}

export function failure(found: string, remedy: string): Finding {
  return { level: 'failure', found, remedy };
}
