// The settings of the key-holder's own process: one table, every problem at once.

import { isLoopback } from '../../platform/base/loopback.ts';
import { findMisnamedSettings } from '../../platform/names/misnamed-settings.ts';
import {
  decimal,
  integer,
  masterKey,
  oneOf,
  oneOrTwo,
  type Parser,
  postgresAddress,
  text,
  textOfAtLeast,
} from '../../platform/settings/parsers.ts';
import { DEFAULT_AUDIT_DAYS } from './audit/log.ts';
import type { MasterKeys } from './store/vault.ts';
import { DEFAULT_BUDGETS } from './throttle/rules.ts';

export interface KeyHolderSettings {
  NODE_ENV: 'development' | 'test' | 'production';
  KEYHOLDER_HOST: string;
  KEYHOLDER_PORT: number;
  KEYHOLDER_DATA_DIR: string;
  KEYHOLDER_DATABASE_URL: string | undefined;
  KEYHOLDER_DATABASE_WAIT_SECONDS: number;
  KEYHOLDER_MASTER_KEY: MasterKeys | undefined;
  KEYHOLDER_SECRET: readonly string[];
  KEYHOLDER_METRICS_PORT: number | undefined;
  KEYHOLDER_METRICS_HOST: string;
  KEYHOLDER_METRICS_TOKEN: string | undefined;
  KEYHOLDER_MATCH_THRESHOLD: number | undefined;
  KEYHOLDER_ANSWERS_PER_HOUR: number;
  KEYHOLDER_ANSWERS_PER_ADDRESS: number;
  KEYHOLDER_ANSWERS_PER_PERSON: number;
  KEYHOLDER_ENROLMENTS_PER_HOUR: number;
  KEYHOLDER_ENROLMENTS_PER_ADDRESS: number;
  AUDIT_DAYS: number;
  LOG_LEVEL: string;
}

interface Entry {
  parse: Parser<unknown>;
  default?: string;
  secret?: true;
}

export const KEYHOLDER_SETTINGS: Record<keyof KeyHolderSettings, Entry> = {
  NODE_ENV: { parse: oneOf('development', 'test', 'production'), default: 'development' },
  KEYHOLDER_HOST: { parse: text, default: '127.0.0.1' },
  KEYHOLDER_PORT: { parse: integer(0, 65_535), default: '8443' },
  KEYHOLDER_DATA_DIR: { parse: text, default: './keyholder-data' },
  KEYHOLDER_DATABASE_URL: { parse: postgresAddress, secret: true },
  KEYHOLDER_DATABASE_WAIT_SECONDS: { parse: integer(0, 3_600), default: '30' },
  KEYHOLDER_MASTER_KEY: { parse: oneOrTwo(masterKey), secret: true },
  KEYHOLDER_SECRET: { parse: oneOrTwo(textOfAtLeast(32)), secret: true },
  KEYHOLDER_METRICS_PORT: { parse: integer(0, 65_535) },
  KEYHOLDER_METRICS_HOST: { parse: text, default: '127.0.0.1' },
  KEYHOLDER_METRICS_TOKEN: { parse: textOfAtLeast(16), secret: true },
  KEYHOLDER_MATCH_THRESHOLD: { parse: decimal(0, 1) },
  KEYHOLDER_ANSWERS_PER_HOUR: { parse: integer(1, 1_000_000_000), default: String(DEFAULT_BUDGETS.sign_in) },
  KEYHOLDER_ANSWERS_PER_ADDRESS: {
    parse: integer(1, 1_000_000_000),
    default: String(DEFAULT_BUDGETS.sign_in_address),
  },
  KEYHOLDER_ANSWERS_PER_PERSON: {
    parse: integer(1, 1_000_000_000),
    default: String(DEFAULT_BUDGETS.sign_in_person),
  },
  KEYHOLDER_ENROLMENTS_PER_HOUR: { parse: integer(1, 1_000_000_000), default: String(DEFAULT_BUDGETS.enrol) },
  KEYHOLDER_ENROLMENTS_PER_ADDRESS: {
    parse: integer(1, 1_000_000_000),
    default: String(DEFAULT_BUDGETS.enrol_address),
  },
  AUDIT_DAYS: { parse: integer(1, 36_500), default: String(DEFAULT_AUDIT_DAYS) },
  LOG_LEVEL: { parse: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'silent'), default: 'info' },
};

/** An empty variable counts as unset. */
export function readKeyHolderSettings(
  environment: Readonly<Record<string, string | undefined>>,
): { settings: KeyHolderSettings } | { problems: string[] } {
  const problems = findMisnamedSettings(environment, KEYHOLDER_SETTINGS);
  const values: Record<string, unknown> = {};
  for (const [name, entry] of Object.entries(KEYHOLDER_SETTINGS)) {
    const given = environment[name]?.trim() || entry.default;
    if (given === undefined) continue;
    try {
      values[name] = entry.parse(given);
    } catch (error) {
      const shown = entry.secret ? '' : ` (it is ${JSON.stringify(given)})`;
      problems.push(`${name} ${(error as Error).message}${shown}.`);
    }
  }
  const isUnset = (name: keyof KeyHolderSettings) => !environment[name]?.trim();
  if (isUnset('KEYHOLDER_SECRET')) {
    problems.push('KEYHOLDER_SECRET is needed, the same as the service has (make one with: openssl rand -base64 32).');
  }
  if (!isUnset('KEYHOLDER_DATABASE_URL') && isUnset('KEYHOLDER_MASTER_KEY')) {
    problems.push(
      'KEYHOLDER_MASTER_KEY is needed with KEYHOLDER_DATABASE_URL: the same for all key-holders that share the database.',
    );
  } else if (values['NODE_ENV'] === 'production' && isUnset('KEYHOLDER_MASTER_KEY')) {
    problems.push('KEYHOLDER_MASTER_KEY is required in production: a key file beside what it seals protects nothing.');
  }
  const metricsHost = values['KEYHOLDER_METRICS_HOST'];
  if (!isUnset('KEYHOLDER_METRICS_PORT') && isUnset('KEYHOLDER_METRICS_TOKEN') && !isLoopback(String(metricsHost))) {
    problems.push(
      'KEYHOLDER_METRICS_TOKEN is needed where KEYHOLDER_METRICS_HOST is not loopback (make one with: openssl rand -base64 32).',
    );
  }
  return problems.length > 0 ? { problems } : { settings: values as unknown as KeyHolderSettings };
}
