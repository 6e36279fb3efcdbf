// The settings of the key-holder's own process. Reports every problem at once.
import { findMisnamedSettings } from '../../platform/names/misnamed-settings.ts';
import { isLoopback } from '../../platform/outbound/classify-address.ts';
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
import { DEFAULT_AUDIT_DAYS, DEFAULT_BUDGETS } from './limits.ts';

interface KeyHolderSetting<T> {
  parse: Parser<T>;
  default?: string;
  secret?: true;
}

const required = <T>(parse: Parser<T>, value: string): KeyHolderSetting<T> => ({ parse, default: value });
const optional = <T>(parse: Parser<T>): KeyHolderSetting<T | undefined> => ({ parse });
const perHour = (value: number) => required(integer(1, 1_000_000_000), String(value));

export const KEYHOLDER_SETTINGS = {
  NODE_ENV: required(oneOf('development', 'test', 'production'), 'development'),
  KEYHOLDER_HOST: required(text, '127.0.0.1'),
  KEYHOLDER_PORT: required(integer(0, 65_535), '8443'),
  KEYHOLDER_DATA_DIR: required(text, './keyholder-data'),
  KEYHOLDER_DATABASE_URL: { ...optional(postgresAddress), secret: true },
  KEYHOLDER_DATABASE_WAIT_SECONDS: required(integer(0, 3_600), '30'),
  KEYHOLDER_MASTER_KEY: { ...optional(oneOrTwo(masterKey)), secret: true },
  KEYHOLDER_SECRET: { parse: oneOrTwo(textOfAtLeast(32)), secret: true },
  KEYHOLDER_METRICS_PORT: optional(integer(0, 65_535)),
  KEYHOLDER_METRICS_HOST: required(text, '127.0.0.1'),
  KEYHOLDER_METRICS_TOKEN: { ...optional(textOfAtLeast(16)), secret: true },
  KEYHOLDER_MATCH_THRESHOLD: optional(decimal(0, 1)),
  KEYHOLDER_ANSWERS_PER_HOUR: perHour(DEFAULT_BUDGETS.sign_in),
  KEYHOLDER_ANSWERS_PER_ADDRESS: perHour(DEFAULT_BUDGETS.sign_in_address),
  KEYHOLDER_ANSWERS_PER_PERSON: perHour(DEFAULT_BUDGETS.sign_in_person),
  KEYHOLDER_ENROLMENTS_PER_HOUR: perHour(DEFAULT_BUDGETS.enrol),
  KEYHOLDER_ENROLMENTS_PER_ADDRESS: perHour(DEFAULT_BUDGETS.enrol_address),
  AUDIT_DAYS: required(integer(1, 36_500), String(DEFAULT_AUDIT_DAYS)),
  LOG_LEVEL: required(oneOf('fatal', 'error', 'warn', 'info', 'debug', 'silent'), 'info'),
} satisfies Record<string, KeyHolderSetting<unknown>>;

type SettingName = keyof typeof KEYHOLDER_SETTINGS;
type KeyHolderSettings = {
  [Name in SettingName]: (typeof KEYHOLDER_SETTINGS)[Name] extends KeyHolderSetting<infer T> ? T : never;
};

export function readKeyHolderSettings(
  environment: Readonly<Record<string, string | undefined>>,
): { settings: KeyHolderSettings } | { problems: string[] } {
  const problems = findMisnamedSettings(environment, KEYHOLDER_SETTINGS);
  const values: Record<string, unknown> = {};
  for (const [name, entry] of Object.entries<KeyHolderSetting<unknown>>(KEYHOLDER_SETTINGS)) {
    const text = environment[name]?.trim() || entry.default;
    if (text === undefined) continue;
    try {
      values[name] = entry.parse(text);
    } catch (error) {
      const shown = entry.secret ? '' : ` (it is ${JSON.stringify(text)})`;
      problems.push(`${name} ${(error as Error).message}${shown}.`);
    }
  }
  const isUnset = (name: SettingName) => !environment[name]?.trim();
  if (isUnset('KEYHOLDER_SECRET')) {
    problems.push('KEYHOLDER_SECRET is needed, the same as the service has (make one with: openssl rand -base64 32).');
  }
  if (!isUnset('KEYHOLDER_DATABASE_URL') && isUnset('KEYHOLDER_MASTER_KEY')) {
    problems.push(
      'KEYHOLDER_MASTER_KEY is needed with KEYHOLDER_DATABASE_URL: the same for all key-holders that share the database.',
    );
  } else if (values['NODE_ENV'] === 'production' && isUnset('KEYHOLDER_MASTER_KEY')) {
    problems.push(
      'KEYHOLDER_MASTER_KEY is required in production: a key file stored with the data it seals protects nothing.',
    );
  }
  const isMetricsPublic = !isLoopback(String(values['KEYHOLDER_METRICS_HOST']));
  if (!isUnset('KEYHOLDER_METRICS_PORT') && isUnset('KEYHOLDER_METRICS_TOKEN') && isMetricsPublic) {
    problems.push(
      'KEYHOLDER_METRICS_TOKEN is needed where KEYHOLDER_METRICS_HOST is not loopback (make one with: openssl rand -base64 32).',
    );
  }
  return problems.length > 0 ? { problems } : { settings: values as unknown as KeyHolderSettings };
}
