// Every setting of the service: one table that parses the environment and that docs/configuration.md is made from.
import {
  boolean,
  decimal,
  exactWebAddress,
  frameAncestors,
  integer,
  keyHolderAddress,
  masterKey,
  oneOf,
  type Parser,
  postgresAddress,
  proxies,
  rateLimits,
  setOf,
  text,
  textOfAtLeast,
  webAddress,
} from './platform/config-parsers.ts';

export interface Setting<T> {
  parse: Parser<T>;
  /** As it would be written in the environment; `undefined` means unset. */
  default: string | undefined;
  group: SettingGroup;
  description: string;
  /** The value is never shown, not even in an error. */
  secret?: true;
}

type SettingGroup =
  | 'Service'
  | 'Storage and keys'
  | 'Access'
  | 'Sessions and webhooks'
  | 'Sanctions'
  | 'Biometric node'
  | 'Sign-in';

const required = <T>(setting: Setting<T> & { default: string }): Setting<T> => setting;
const optional = <T>(setting: Omit<Setting<T>, 'default'>): Setting<T | undefined> => ({
  ...setting,
  default: undefined,
});

export const SETTINGS = {
  NODE_ENV: required({
    parse: oneOf('development', 'test', 'production'),
    default: 'development',
    group: 'Service',
    description:
      '`production` refuses everything that is only safe on a developer’s machine: the master key file, development keys, and (unless it is allowed by name) webhooks to private addresses. With `test` no face models are fetched and no pages are built.',
  }),
  HOST: required({
    parse: text,
    default: 'localhost',
    group: 'Service',
    description:
      'Address to listen on. `localhost` is this machine only, on both loopback addresses (127.0.0.1, and ::1 where there is IPv6); `0.0.0.0` is every address.',
  }),
  PORT: required({
    parse: integer(0, 65_535),
    default: '8080',
    group: 'Service',
    description: 'Port to listen on; 0 picks a free one.',
  }),
  PUBLIC_URL: optional({
    parse: webAddress,
    group: 'Service',
    description:
      'Address at which others reach the service, the base of launch URLs. Never taken from a request. Default: the address it listens on, `http://localhost:8080` as installed.',
  }),
  LAUNCH_URL: optional({
    parse: webAddress,
    group: 'Service',
    description: 'Address of the launch page. Default: `{PUBLIC_URL}/launch`.',
  }),
  SERVE: required({
    parse: setOf('core', 'node', 'launch'),
    default: 'core,node,launch',
    group: 'Service',
    description: 'Parts that this process serves: areas A to D, area E, the launch page.',
  }),
  TLS_CERT: optional({ parse: text, group: 'Service', description: 'Certificate file (PEM); needs `TLS_KEY`.' }),
  TLS_KEY: optional({ parse: text, group: 'Service', description: 'Private key file (PEM); needs `TLS_CERT`.' }),
  TRUST_PROXY: required({
    parse: proxies,
    default: 'false',
    group: 'Service',
    description:
      'Whether `X-Forwarded-*` is believed: `true`, the number of proxies in front, or a list of their addresses or networks.',
  }),
  LOG_LEVEL: required({
    parse: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'silent'),
    default: 'info',
    group: 'Service',
    description: 'Least severe log line that is written. `info` has one line per request.',
  }),
  DATA_DIR: required({
    parse: text,
    default: './data',
    group: 'Storage and keys',
    description: 'Folder of the database file, master key, datasets and models.',
  }),
  DATABASE_URL: optional({
    parse: postgresAddress,
    group: 'Storage and keys',
    secret: true,
    description: 'PostgreSQL instead of the file in `DATA_DIR`.',
  }),
  DATABASE_WAIT_SECONDS: required({
    parse: integer(0, 3_600),
    default: '30',
    group: 'Storage and keys',
    description:
      'How long the start waits for a PostgreSQL that does not answer yet, before it ends with an error. Later, while the service runs, it waits for ever: requests get 503 until the database is back.',
  }),
  DISK_RESERVE_MB: required({
    parse: integer(0, 10_000),
    default: '16',
    group: 'Storage and keys',
    description:
      'Kept free beside the database file, so that people and sessions can be deleted when the disk is full. 0 keeps nothing; at least 16 is what deletions need in any number.',
  }),
  VECTOR_STORE: required({
    parse: oneOf('memory', 'pgvector'),
    default: 'memory',
    group: 'Storage and keys',
    description: 'Where face vectors are searched; `pgvector` needs `DATABASE_URL`.',
  }),
  MASTER_KEY: optional({
    parse: masterKey,
    group: 'Storage and keys',
    secret: true,
    description:
      '32 bytes in base64 under which everything sensitive is sealed. Default: a 0600 file in `DATA_DIR`, made on first start. Required in production.',
  }),
  MAX_STRINGS: required({
    parse: integer(1, 1_000_000_000),
    default: '1000000',
    group: 'Storage and keys',
    description:
      'Most records in the string store; further ones get 507. Where the store is closed, those of test keys are counted apart from those of live ones, and each kind has this many.',
  }),
  DEV_API_KEY: optional({
    parse: textOfAtLeast(16),
    group: 'Access',
    secret: true,
    description:
      'Value of the development key. Default: a random one. Refused in production. A key that was set once stays valid without the setting: `limen keys revoke` ends it.',
  }),
  REQUIRE_API_KEY: optional({
    parse: setOf('strings', 'sanctions'),
    group: 'Access',
    description:
      'Areas that are open by default and shall ask for an API key: `strings`, `sanctions` or both. A closed string store is one store per customer; the open one is another, so switching this hides records and does not lose them.',
  }),
  RATE_LIMIT: optional({
    parse: rateLimits,
    group: 'Access',
    description:
      'Requests per second on areas A to D (not on probes and pages), per API key and per address: `key=100:200,address=50` (the number behind the colon is the burst). Off by default.',
  }),
  METRICS_TOKEN: optional({
    parse: textOfAtLeast(16),
    group: 'Access',
    secret: true,
    description: 'Bearer token for `/metrics`. Without it only loopback may read it.',
  }),
  OIDC_ISSUER: optional({
    parse: exactWebAddress,
    group: 'Access',
    description:
      'Issuer of the bearer tokens that session creation may carry, to the letter as in their `iss`: a trailing slash counts. Needs the two settings below; with none of the three, `Authorization` is not looked at.',
  }),
  OIDC_AUDIENCE: optional({ parse: text, group: 'Access', description: 'Audience those tokens must name.' }),
  OIDC_JWKS_URL: optional({
    parse: exactWebAddress,
    group: 'Access',
    description:
      'Where the issuer publishes its keys. Use https beyond your own machine: who can change this reply can make tokens.',
  }),
  SESSION_TTL_SECONDS: required({
    parse: integer(1, 86_400),
    default: '1800',
    group: 'Sessions and webhooks',
    description: 'Life of a session from creation to `expiresAt`.',
  }),
  RETENTION_HOURS: required({
    parse: integer(1, 8_760),
    default: '24',
    group: 'Sessions and webhooks',
    description: 'How long an ended session is kept before its row is deleted.',
  }),
  WEBHOOK_ALLOW_PRIVATE: optional({
    parse: boolean,
    group: 'Sessions and webhooks',
    description:
      'Whether webhooks may go to private and loopback addresses. Default: `true`, and `false` in production. Link-local addresses are always refused.',
  }),
  DELIVERY_LOG_DAYS: required({
    parse: integer(1, 3_650),
    default: '30',
    group: 'Sessions and webhooks',
    description:
      'Days for which the [delivery log](webhooks.md#the-delivery-log) keeps a row whose body is gone. A redacted session takes its rows with it.',
  }),
  WEBHOOK_TIMEOUT_MS: required({
    parse: integer(100, 60_000),
    default: '15000',
    group: 'Sessions and webhooks',
    description: 'How long a webhook receiver may take to answer.',
  }),
  FRAME_ANCESTORS: optional({
    parse: frameAncestors,
    group: 'Sessions and webhooks',
    description:
      'Origins that may embed the launch page in a frame, separated by commas ([what their frame needs](operation.md#in-a-frame)). Default: none.',
  }),
  MODEL_MANIFEST: optional({
    parse: text,
    group: 'Sessions and webhooks',
    description:
      'Your own manifest of the face models, a JSON file, instead of the shipped one ([models](models.md)). Mistakes in it stop the start.',
  }),
  DATASET_SYNC_HOURS: required({
    parse: integer(0, 8_760),
    default: '0',
    group: 'Sanctions',
    description:
      'Every how many hours all sanctions lists that came from an address are refreshed; 0 never. The first time is within two minutes of the start, for lists that are due by then.',
  }),
  NODE_RATE_LIMIT: required({
    parse: integer(1, 1_000_000),
    default: '100',
    group: 'Biometric node',
    description: 'Requests per second and API key.',
  }),
  NODE_RATE_BURST: required({
    parse: integer(1, 1_000_000),
    default: '200',
    group: 'Biometric node',
    description: 'Requests an idle API key may send at once.',
  }),
  NODE_STRANGER_RATE_LIMIT: required({
    parse: integer(1, 1_000_000),
    default: '5',
    group: 'Biometric node',
    description:
      'Requests per second and address without a valid API key in the header. A valid key in the body gives the request back.',
  }),
  NODE_STRANGER_RATE_BURST: required({
    parse: integer(1, 1_000_000),
    default: '50',
    group: 'Biometric node',
    description: 'Such requests that an address may send at once; then 429, before a body is read.',
  }),
  NODE_MAX_EMBEDDINGS: required({
    parse: integer(1, 1_000_000_000),
    default: '2000000',
    group: 'Biometric node',
    description:
      'Most embeddings in all galleries together, of live keys and of test keys each by themselves, so that a test leaves live people their room; further people get 507. In memory one of 512 numbers takes about 2.9 KB.',
  }),
  NODE_MATCH_THRESHOLD: optional({
    parse: decimal(0, 1),
    group: 'Biometric node',
    description:
      'Similarity from which two faces count as one person, for every model version; it still grows with the gallery. Default: the table of the model version (0.6 for `FACE3_*`).',
  }),
  KEYHOLDER_URL: optional({
    parse: keyHolderAddress,
    group: 'Sign-in',
    description:
      'Address of a key-holder in a process of its own, such as `tls://10.0.0.7:8443` ([the key-holder](keyholder.md)); needs `KEYHOLDER_SECRET`. Default: a worker thread.',
  }),
  KEYHOLDER_SECRET: optional({
    parse: textOfAtLeast(32),
    group: 'Sign-in',
    secret: true,
    description: 'What service and key-holder prove to each other that they know; the same on both sides.',
  }),
  KEYHOLDER_MATCH_THRESHOLD: optional({
    parse: decimal(0, 1),
    group: 'Sign-in',
    description:
      'Similarity from which two faces count as one person when somebody signs in; it still grows with the gallery. Default: what the model’s measurements give. For the worker thread; a process of its own has its own setting of this name.',
  }),
  KEYHOLDER_ANSWERS_PER_HOUR: required({
    parse: integer(1, 1_000_000_000),
    default: '3600',
    group: 'Sign-in',
    description:
      'Most answers of the key-holder about one customer’s faces in an hour ([why](keyholder.md#how-many-answers)). For the worker thread; a process of its own has its own setting of this name.',
  }),
  KEYHOLDER_ANSWERS_PER_ADDRESS: required({
    parse: integer(1, 1_000_000_000),
    default: '600',
    group: 'Sign-in',
    description:
      'Most of these answers through one address (IPv4, or IPv6 /64) in an hour, and at most half of all; known devices there have twice as many of their own. For the worker thread; a process of its own has its own setting of this name.',
  }),
  KEYHOLDER_ANSWERS_PER_PERSON: required({
    parse: integer(1, 1_000_000_000),
    default: '120',
    group: 'Sign-in',
    description:
      'Most of these answers about one person in an hour, and at most a quarter of all; their known devices have as many of their own. For the worker thread; a process of its own has its own setting of this name.',
  }),
  KEYHOLDER_ENROLMENTS_PER_HOUR: required({
    parse: integer(1, 1_000_000_000),
    default: '1200',
    group: 'Sign-in',
    description:
      'Most answers of the key-holder to one customer’s enrolments in an hour, counted apart from those to sign-ins. For the worker thread; a process of its own has its own setting of this name.',
  }),
  KEYHOLDER_ENROLMENTS_PER_ADDRESS: required({
    parse: integer(1, 1_000_000_000),
    default: '120',
    group: 'Sign-in',
    description:
      'Most enrolments through one address (IPv4, or IPv6 /64) in an hour; raise it for the day on which a whole office enrols. For the worker thread; a process of its own has its own setting of this name.',
  }),
  AUDIT_DAYS: required({
    parse: integer(1, 36_500),
    default: '400',
    group: 'Sign-in',
    description:
      'Days for which the key-holder keeps the lines of its [audit](keyholder.md#the-audit); their checkpoints stay. For the worker thread; a process of its own has its own setting of this name.',
  }),
  MAX_PEOPLE: required({
    parse: integer(1, 10_000_000),
    default: '100000',
    group: 'Sign-in',
    description:
      'Most people of one customer who can be enrolled by verification sessions, those whose enrolment has not ended included. The threshold of a sign-in grows with them ([why it is bounded](keyholder.md#how-many-people)), so set it near the number that you expect.',
  }),
  TOKEN_MEMORY_MB: required({
    parse: integer(16, 1_048_576),
    default: '2048',
    group: 'Sign-in',
    description:
      'Memory for face tokens that are kept ready to be compared, 16 KB each. Galleries that do not fit are read anew for each search.',
  }),
  LOCAL_SIGN_INS: required({
    parse: integer(1, 1_000),
    default: '10',
    group: 'Sign-in',
    description:
      'Every how many sign-ins on a known device the server compares the face too, because a changed page could skip its own comparison; 1: at every one.',
  }),
  PASSKEY_RP_ID: optional({
    parse: text,
    group: 'Sign-in',
    description:
      'Domain that passkeys are bound to. Default: the host of `PUBLIC_URL`. An address in numbers will not do: browsers want a name.',
  }),
  PASSKEY_ORIGIN: optional({
    parse: webAddress,
    group: 'Sign-in',
    description: 'Origin of the page that uses passkeys. Default: the origin of `PUBLIC_URL`.',
  }),
} satisfies Record<string, Setting<unknown>>;

type Settings = typeof SETTINGS;
type Values = { readonly [Name in keyof Settings]: ReturnType<Settings[Name]['parse']> | DefaultOf<Settings[Name]> };
type DefaultOf<S> = S extends Setting<infer T> ? T : never;

/** All settings, parsed and frozen, and what follows from them. */
export interface Config extends Values {
  readonly production: boolean;
  readonly WEBHOOK_ALLOW_PRIVATE: boolean;
}

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The configuration has ${problems.length} problem${problems.length === 1 ? '' : 's'}.`);
    this.problems = problems;
  }
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Throws a ConfigError with every problem at once. An empty variable counts as unset. */
export function loadConfig(environment: Environment): Config {
  const problems: string[] = [];
  const refused = new Set<string>();
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries<Setting<unknown>>(SETTINGS)) {
    const given = environment[name]?.trim() || setting.default;
    if (given === undefined) continue;
    try {
      values[name] = setting.parse(given);
    } catch (error) {
      refused.add(name);
      const shown = setting.secret ? '' : ` (it is ${JSON.stringify(given)})`;
      problems.push(`${name} ${(error as Error).message}${shown}.`);
    }
  }
  const production = values['NODE_ENV'] === 'production';
  values['WEBHOOK_ALLOW_PRIVATE'] ??= !production;
  const config = Object.freeze({ ...values, production }) as Config;
  problems.push(
    ...findConflicts(config)
      .filter(([name]) => !refused.has(name))
      .map(([, problem]) => problem),
  );
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

/** Settings that do not go together, each with the name of the one to blame. */
function findConflicts(config: Config): [name: string, problem: string][] {
  const conflicts: [string, string][] = [];
  if ((config.TLS_CERT === undefined) !== (config.TLS_KEY === undefined)) {
    conflicts.push(['TLS_CERT', 'TLS_CERT and TLS_KEY must be set together.']);
  }
  if (config.VECTOR_STORE === 'pgvector' && config.DATABASE_URL === undefined) {
    conflicts.push(['DATABASE_URL', 'VECTOR_STORE=pgvector needs DATABASE_URL.']);
  }
  const oidc = ['OIDC_ISSUER', 'OIDC_AUDIENCE', 'OIDC_JWKS_URL'] as const;
  const missing = oidc.find((name) => config[name] === undefined);
  if (missing && oidc.some((name) => config[name] !== undefined)) {
    conflicts.push([missing, 'OIDC_ISSUER, OIDC_AUDIENCE and OIDC_JWKS_URL must be set together.']);
  }
  if (config.KEYHOLDER_URL !== undefined && config.KEYHOLDER_SECRET === undefined) {
    conflicts.push([
      'KEYHOLDER_SECRET',
      'KEYHOLDER_URL needs KEYHOLDER_SECRET, the one that the key-holder was started with.',
    ]);
  }
  if (config.production && config.MASTER_KEY === undefined) {
    conflicts.push([
      'MASTER_KEY',
      'MASTER_KEY is required in production (make one with: limen master-key generate): a key file beside the data it seals protects nothing.',
    ]);
  }
  if (config.production && config.DEV_API_KEY !== undefined) {
    conflicts.push(['DEV_API_KEY', 'DEV_API_KEY is refused in production; create keys with: limen keys create.']);
  }
  return conflicts;
}
