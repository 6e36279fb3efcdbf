// Settings of the service. docs/reference/configuration.md is generated from this table.
import { AGE_BOUND } from '@limen/plan';
import { StartError } from './platform/base/errors.ts';
import { findMisnamedSettings } from './platform/names/misnamed-settings.ts';
import {
  boolean,
  consoleAddress,
  decimal,
  exactWebAddress,
  frameAncestors,
  groupRoles,
  headerList,
  integer,
  keyHolderAddresses,
  masterKey,
  oneOf,
  oneOrTwo,
  type Parser,
  pageAddress,
  postgresAddress,
  providerAddress,
  proxies,
  rateLimits,
  setOf,
  setOrNone,
  text,
  textOfAtLeast,
  webAddress,
} from './platform/settings/parsers.ts';

export interface Setting<T> {
  parse: Parser<T>;
  /** Text as in the environment; undefined means unset. */
  default: string | undefined;
  description: string;
  secret?: true;
  /** Whether an empty value stops the start, because it is ambiguous */
  refusesEmpty?: true;
}

function required<T>(parse: Parser<T>, byDefault: string) {
  return { describe: (description: string): Setting<T> => ({ parse, default: byDefault, description }) };
}

function optional<T>(parse: Parser<T>, traits: Pick<Setting<T>, 'secret' | 'refusesEmpty'> = {}) {
  return {
    describe: (description: string): Setting<T | undefined> => ({ parse, default: undefined, description, ...traits }),
  };
}

/** Areas that may be open: their requests need no API key. */
export const AREAS = ['strings', 'sanctions'] as const;
export type Area = (typeof AREAS)[number];

export const SETTING_GROUPS = {
  Service: {
    NODE_ENV: required(oneOf('development', 'test', 'production'), 'development').describe(
      '`production` refuses everything that is only safe on a developer’s machine: the master key file, development keys, and (unless explicitly allowed) webhooks to private addresses. With `test`, no face models are fetched and no pages are built.',
    ),
    HOST: required(text, 'localhost').describe(
      'Address to listen on. `localhost` is this machine only, on both loopback addresses (127.0.0.1, and ::1 if there is IPv6); `0.0.0.0` is every address.',
    ),
    PORT: required(integer(0, 65_535), '8080').describe('Port to listen on; 0 picks a free one.'),
    PUBLIC_URL: optional(webAddress).describe(
      'Address at which others reach the service; launch URLs begin with it. Never taken from a request. Default: the address the service listens on, `http://localhost:8080` out of the box.',
    ),
    LAUNCH_URL: optional(pageAddress).describe(
      'Address of the launch page, with its final slash if it has one: launch URLs are this address and `?sessionId=…`. Default: `{PUBLIC_URL}/launch`.',
    ),
    SERVE: required(setOf('core', 'node', 'launch', 'console'), 'core,node,launch,console').describe(
      'Parts that this process serves: `core` (string store, sanctions check, age and verification sessions), `node` (biometric node), `launch` (launch page), `console` ([operators’ page](console.md)).',
    ),
    CONSOLE_URL: optional(consoleAddress).describe(
      'Address of the [console](console.md), such as `https://console.example.com/console`: a host name that nothing else here has, because cookies and passkeys are bound to it. Default: `/console` on `localhost`. A service that others than this machine can reach serves no console until this is set.',
    ),
    TLS_CERT: optional(text).describe(
      'Certificate file (PEM); needs `TLS_KEY`. A renewed pair is [taken without a restart](operation.md#renewing-the-certificate).',
    ),
    TLS_KEY: optional(text).describe('Private key file (PEM); needs `TLS_CERT`.'),
    TRUST_PROXY: required(proxies, 'false').describe(
      'Addresses or networks of the proxies in front whose `X-Forwarded-*` headers are trusted, separated by commas, such as `10.0.0.40` or `10.0.0.0/8`; `true` trusts every client. Without it, all clients behind a proxy count as one address.',
    ),
    LOG_LEVEL: required(oneOf('fatal', 'error', 'warn', 'info', 'debug', 'silent'), 'info').describe(
      'Least severe level to log. `info` writes one line per request.',
    ),
    SHUTDOWN_DELAY_SECONDS: required(integer(0, 300), '0').describe(
      'How long `/ready` refuses after SIGTERM before the service stops, so that a load balancer sends no more requests. Requests that come in that time are served. A second signal ends the wait.',
    ),
    OTEL_EXPORTER_OTLP_ENDPOINT: optional(webAddress).describe(
      'Collector that gets traces, as OTLP in JSON over HTTP: `http://localhost:4318`. `/v1/traces` is added. Without it nothing is traced.',
    ),
    OTEL_EXPORTER_OTLP_HEADERS: optional(headerList, { secret: true }).describe(
      'Headers for the collector: `name=value`, several with commas, values percent-encoded.',
    ),
    OTEL_TRACES_SAMPLER_ARG: required(decimal(0, 1), '1').describe(
      'Share of traces that are recorded, from 0 to 1. All processes choose the same ones.',
    ),
  },
  'Storage and keys': {
    DATA_DIR: required(text, './data').describe('Folder for the database file, master key, datasets and models.'),
    DATABASE_URL: optional(postgresAddress, { secret: true }).describe(
      'PostgreSQL database to use instead of the file in `DATA_DIR`; [account, rights and TLS](deployment.md#postgresql).',
    ),
    DATABASE_WAIT_SECONDS: required(integer(0, 3_600), '30').describe(
      'How long the start waits for a PostgreSQL that does not answer yet, or is read-only, before it fails. Once it runs, the service waits forever: requests get 503 until the database is back.',
    ),
    DISK_RESERVE_MB: required(integer(0, 10_000), '16').describe(
      'Space reserved beside the database file, so that people and sessions can be deleted when the disk is full. 0 reserves nothing; 16 is enough for any number of deletions.',
    ),
    VECTOR_STORE: required(oneOf('memory', 'pgvector'), 'memory').describe(
      'Where face vectors are searched; `pgvector` needs `DATABASE_URL`.',
    ),
    FACE_MEMORY_MB: optional(integer(16, 1_048_576)).describe(
      'With `VECTOR_STORE=memory`: the most memory for face vectors. Each gallery is then read when it is first searched, and let go when another needs its room; the largest alone should fit. Default: all galleries are read at the start and stay.',
    ),
    VECTOR_SEARCH: required(oneOf('exact', 'approximate'), 'exact').describe(
      'With `VECTOR_STORE=pgvector`: whether a search may use the graphs that `limen people graphs` made. They are much faster in large galleries and miss somebody now and then; whoever is missed at enrolment is enrolled twice.',
    ),
    MASTER_KEY: optional(oneOrTwo(masterKey), { secret: true }).describe(
      '32 bytes in base64 under which everything sensitive is sealed. Two, with a comma between them, [while the first replaces the second](operation.md#changing-the-master-key). Default: a 0600 file in `DATA_DIR`, created at the first start. Required in production.',
    ),
    MAX_STRINGS: required(integer(1, 1_000_000_000), '1000000').describe(
      'Maximum number of records in the string store; beyond it, 507. In a closed store, records of test and live keys are counted separately, with this many for each.',
    ),
    MAX_STRINGS_MB: required(integer(1, 1_000_000), '1024').describe(
      'Maximum size of the values in the string store in MB of UTF-8; beyond it, 507. Values of test and live keys are counted separately, as their number is. Replies that are kept for an `Idempotency-Key` repeat the value for a day and are not counted.',
    ),
    MAX_SUBJECTS: required(integer(1, 1_000_000_000), '1000000').describe(
      'Maximum number of watched subjects of one customer in each world (for test keys never more than 100,000); beyond it, 507. A million subjects take some 4 GB of disk and 0.25 GB of memory.',
    ),
  },
  Access: {
    DEV_API_KEY: optional(textOfAtLeast(16), { secret: true }).describe(
      'Value of the development key. Default: a random one. Refused in production. A key that was set once stays valid without the setting, until `limen keys revoke` ends it.',
    ),
    REQUIRE_API_KEY: optional(setOrNone(...AREAS), { refusesEmpty: true }).describe(
      'Areas that require an API key: `strings`, `sanctions`, both with a comma between them, or `none`. Default: `none`, but `strings,sanctions` in production. A closed string store is a separate store for each customer, apart from the open one, so a change of this setting hides records but does not lose them.',
    ),
    RATE_LIMIT: optional(rateLimits).describe(
      'Requests per second, per API key and per address, everywhere but on the biometric node, probes and pages: `key=100:200,address=50` (the number after the colon is the burst). Off by default.',
    ),
    METRICS_TOKEN: optional(textOfAtLeast(16), { secret: true }).describe(
      'Bearer token for `/metrics`. Without it, only loopback may read them.',
    ),
    OIDC_ISSUER: optional(exactWebAddress).describe(
      'Issuer of the bearer tokens that session creation may carry, exactly as in their `iss`, trailing slash included. Needs the two settings below; with none of the three, `Authorization` is ignored.',
    ),
    OIDC_AUDIENCE: optional(text).describe('Audience that those tokens must name.'),
    OIDC_JWKS_URL: optional(exactWebAddress).describe(
      'Where the issuer publishes its keys. Use https beyond your own machine: anyone who can change this reply can make tokens.',
    ),
    CONSOLE_OIDC_ISSUER: optional(providerAddress).describe(
      'Identity provider that operators may sign in to the [console](console.md#sign-in-with-your-identity-provider) with, exactly as it calls itself. Needs `CONSOLE_OIDC_CLIENT_ID` and `CONSOLE_OIDC_ROLES`. Https, except on this machine.',
    ),
    CONSOLE_OIDC_CLIENT_ID: optional(text).describe('What the provider calls this console.'),
    CONSOLE_OIDC_CLIENT_SECRET: optional(text, { secret: true }).describe(
      'The secret that goes with it. Without one, the console is a public client.',
    ),
    CONSOLE_OIDC_ROLES: optional(groupRoles).describe(
      'Which of the provider’s groups has which role: `limen-admins=admin,fraud-team=reviewer`. Of several the first counts; whoever is in none of them is not let in.',
    ),
    CONSOLE_OIDC_GROUPS_CLAIM: required(text, 'groups').describe(
      'The claim that lists somebody’s groups, in the ID token or in what the provider’s user info says.',
    ),
    CONSOLE_OIDC_SCOPES: required(text, 'openid profile email').describe(
      'What the provider is asked for, separated by spaces; some want `groups` among them.',
    ),
  },
  'Sessions and webhooks': {
    SESSION_TTL_SECONDS: required(integer(1, 86_400), '1800').describe(
      'Lifetime of a session, from creation to `expiresAt`.',
    ),
    RETENTION_HOURS: required(integer(1, 8_760), '24').describe(
      'How long an ended session is kept before its row is deleted.',
    ),
    REVIEW_DAYS: required(integer(1, 365), '14').describe(
      'How long a session that ended with `REVIEW` waits for somebody to [decide it](console.md#review); without a decision it is forgotten then. A decided one stays for `RETENTION_HOURS`.',
    ),
    REVIEW_DUE_HOURS: required(integer(1, 8_760), '24').describe(
      'Within how many hours a case is to be decided. After that the console and the metrics call it overdue.',
    ),
    REVIEW_EYES: required(integer(1, 2), '1').describe(
      'How many reviewers must agree on a case: with `2`, a second one confirms what the first proposes.',
    ),
    WEBHOOK_ALLOW_PRIVATE: optional(boolean).describe(
      'Whether webhooks may go to private and loopback addresses. Default: `true`, but `false` in production. Link-local addresses are always refused.',
    ),
    WEBHOOKS: required(oneOf('send', 'hold'), 'send').describe(
      'With `hold`, webhooks are written and wait, and this process sends none: for [trying a backup](operation.md#restore). They are sent once a process of the same database runs with `send`, if their bodies are still kept (`RETENTION_HOURS`).',
    ),
    DELIVERY_LOG_DAYS: required(integer(1, 3_650), '30').describe(
      'How many days the [delivery log](webhooks.md#the-delivery-log) keeps a row whose body is gone. The rows of a redacted session are deleted with it.',
    ),
    WEBHOOK_TIMEOUT_MS: required(integer(100, 60_000), '15000').describe(
      'How long a webhook receiver may take to answer.',
    ),
    BURST_PER_MINUTE: required(integer(0, 1_000_000), '60').describe(
      'How many checks one live API key may finish within a minute from one IPv4 address or IPv6 /64; those beyond are at most `REVIEW`, flagged `ADDRESS_BURST`. 0 counts none. It counts only where the address is the client’s: a public peer, or `TRUST_PROXY` is set. Keys made with `limen keys create --kiosk` are exempt.',
    ),
    LIGHT_CHALLENGE: required(oneOf('off', 'flag', 'enforce'), 'flag').describe(
      'Whether the screen lights the face in colours that nobody can foresee, and what follows if the face does not show them: `off` asks for no light unless a session does (`light`); `flag` makes the recommendation at most `REVIEW`; `enforce` takes the face for a spoof.',
    ),
    AGE_KEYS: required(oneOf('off', 'customer', 'all'), 'customer').describe(
      'Which [age keys](proofs.md#age-keys) count. `customer`: a customer’s sessions accept the keys that its own sessions earned. `all`: also the keys of other customers, in sessions that ask for them (`ageKeyFrom: "any"`). `off`: none is made or accepted.',
    ),
    AGE_BOUND_SPREAD: required(decimal(0, 5), String(AGE_BOUND.spread)).describe(
      'How careful the lower bound of a face’s age is ([with people of your own](age.md#with-people-of-your-own)): this much of the deep model’s spread is taken off. More sends more adults on and lets fewer minors in.',
    ),
    AGE_BOUND_MIRROR: required(decimal(0, 5), String(AGE_BOUND.mirror)).describe(
      'Likewise: this much of the difference between the small model’s answers for the face and its mirror image.',
    ),
    AGE_BOUND_YEARS: required(decimal(0, 20), String(AGE_BOUND.years)).describe(
      'Likewise: so many years on top, from everybody.',
    ),
    WALLET_CERT: optional(text).describe(
      'Certificate file (PEM, its chain below it) with which requests to [wallets](wallets.md#signed-requests) are signed; needs `WALLET_KEY`. Default: requests are not signed.',
    ),
    WALLET_KEY: optional(text).describe(
      'Private key file of that certificate (PEM, on the curve P-256); needs `WALLET_CERT`.',
    ),
    WALLET_CLIENT_ID: required(oneOf('x509_hash', 'x509_san_dns'), 'x509_hash').describe(
      'How signed requests name this service: by the fingerprint of the certificate, or by the host of the launch page, which the certificate must then name.',
    ),
    WALLET_CRL: required(oneOf('required', 'optional', 'off'), 'required').describe(
      'Whether issuers of [wallets](wallets.md#revoked-certificates) are looked up in the lists of revoked certificates that their certificates name: `required` takes nothing of an issuer whose list cannot be had; `optional` does, and only refuses certificates that a list names; `off` fetches no lists.',
    ),
    FRAME_ANCESTORS: optional(frameAncestors).describe(
      'Origins that may [embed](embedding.md) the launch page in a frame, separated by commas, for sessions of API keys that name no sites of their own. Default: none.',
    ),
    MODELS_DIR: optional(text).describe(
      'Where the face models are kept and fetched to. Default: `models` in `DATA_DIR`. The image sets it: it has them already.',
    ),
    MODEL_MANIFEST: optional(text).describe(
      'Your own manifest of face models, a JSON file, instead of the shipped one ([models](models.md)). Mistakes in it stop the start.',
    ),
  },
  Sanctions: {
    DATASET_SYNC_HOURS: required(integer(0, 8_760), '0').describe(
      'How often, in hours, to refresh all sanctions lists that came from an address; 0 is never. Lists that are already due are refreshed within two minutes of the start.',
    ),
  },
  'Biometric node': {
    NODE_RATE_LIMIT: required(integer(1, 1_000_000), '100').describe('Requests per second for each API key.'),
    NODE_RATE_BURST: required(integer(1, 1_000_000), '200').describe(
      'How many requests an idle API key may send at once.',
    ),
    NODE_STRANGER_RATE_LIMIT: required(integer(1, 1_000_000), '5').describe(
      'Requests per second from an address without a valid API key in the header. If the body turns out to have a valid key, the request does not count.',
    ),
    NODE_STRANGER_RATE_BURST: required(integer(1, 1_000_000), '50').describe(
      'How many such requests an address may send at once; then 429, before a body is read.',
    ),
    NODE_MAX_EMBEDDINGS: required(integer(1, 1_000_000_000), '2000000').describe(
      'Maximum number of embeddings in all galleries together; beyond it, 507. Live and test keys are counted separately, so tests take no room from live people. In memory, an embedding of 512 numbers takes about 2.9 KB.',
    ),
    NODE_MATCH_THRESHOLD: optional(decimal(0, 1)).describe(
      'Similarity from which two faces count as one person, for every model version; it still grows with the gallery. Default: by model version (0.6 for `FACE3_*`).',
    ),
  },
  'Sign-in': {
    KEYHOLDER_URL: optional(keyHolderAddresses).describe(
      'Address of a key-holder that runs as a separate process, such as `tls://10.0.0.7:8443` ([the key-holder](keyholder.md)), or, with commas between them, of [several that share a database](keyholder.md#several-key-holders); needs `KEYHOLDER_SECRET`. Default: a worker thread.',
    ),
    KEYHOLDER_SECRET: optional(oneOrTwo(textOfAtLeast(32)), { secret: true }).describe(
      'The secret that service and key-holder prove to each other that they know; the same on both sides. Two, with a comma between them, [while one replaces the other](keyholder.md#changing-the-secret).',
    ),
    KEYHOLDER_MATCH_THRESHOLD: optional(decimal(0, 1)).describe(
      'Similarity from which two faces count as one person when somebody signs in; it still grows with the gallery. Default: by the model’s measurements. Applies to the worker thread; a separate key-holder has its own setting of this name.',
    ),
    KEYHOLDER_ANSWERS_PER_HOUR: required(integer(1, 1_000_000_000), '3600').describe(
      'Most answers that the key-holder gives about one customer’s faces in an hour ([why](keyholder.md#how-many-answers)). Applies to the worker thread; a separate key-holder has its own setting of this name.',
    ),
    KEYHOLDER_ANSWERS_PER_ADDRESS: required(integer(1, 1_000_000_000), '600').describe(
      'Most of these answers through one address (IPv4, or IPv6 /64) in an hour, and at most half of all. Known devices there have a separate budget, twice as large. Applies to the worker thread; a separate key-holder has its own setting of this name.',
    ),
    KEYHOLDER_ANSWERS_PER_PERSON: required(integer(1, 1_000_000_000), '120').describe(
      'Most of these answers about one person in an hour, and at most a quarter of all. Their known devices have a separate budget of the same size. Applies to the worker thread; a separate key-holder has its own setting of this name.',
    ),
    KEYHOLDER_ENROLMENTS_PER_HOUR: required(integer(1, 1_000_000_000), '1200').describe(
      'Most answers that the key-holder gives to one customer’s enrolments in an hour, counted separately from sign-ins. Applies to the worker thread; a separate key-holder has its own setting of this name.',
    ),
    KEYHOLDER_ENROLMENTS_PER_ADDRESS: required(integer(1, 1_000_000_000), '120').describe(
      'Most enrolments through one address (IPv4, or IPv6 /64) in an hour; raise it for the day on which a whole office enrols. Applies to the worker thread; a separate key-holder has its own setting of this name.',
    ),
    AUDIT_DAYS: required(integer(1, 36_500), '400').describe(
      'How many days the lines of the console’s [audit log](console.md#the-audit-log) and of the key-holder’s [audit](keyholder.md#the-audit) are kept; their checkpoints stay. A separate key-holder has its own setting of this name.',
    ),
    MAX_PEOPLE: required(integer(1, 10_000_000), '100000').describe(
      'Maximum number of people that one customer can enrol by verification sessions, including those whose enrolment has not ended. The threshold of a sign-in grows with their number ([why there is a limit](keyholder.md#how-many-people)), so set it near what you expect.',
    ),
    TOKEN_MEMORY_MB: required(integer(16, 1_048_576), '2048').describe(
      'Memory for face tokens that are kept ready for comparison: 16 KB each, and 4 KB of those that are in [blocks of four](token.md#four-people-to-a-block). Galleries that do not fit are read again for each search.',
    ),
    LOCAL_SIGN_INS: required(integer(1, 1_000), '10').describe(
      'How often the server compares the face too when somebody signs in on a known device: every Nth time, because a tampered page could skip its own comparison. 1 is every time.',
    ),
    PASSKEY_RP_ID: optional(text).describe(
      'Domain that passkeys are bound to. Default: the host of `PUBLIC_URL`. A numeric address does not work: browsers require a name.',
    ),
    PASSKEY_ORIGIN: optional(webAddress).describe(
      'Origin of the page that uses passkeys. Default: the origin of `PUBLIC_URL`.',
    ),
  },
} satisfies Record<string, Record<string, Setting<unknown>>>;

export const SETTINGS = {
  ...SETTING_GROUPS.Service,
  ...SETTING_GROUPS['Storage and keys'],
  ...SETTING_GROUPS.Access,
  ...SETTING_GROUPS['Sessions and webhooks'],
  ...SETTING_GROUPS.Sanctions,
  ...SETTING_GROUPS['Biometric node'],
  ...SETTING_GROUPS['Sign-in'],
};

type Values = {
  readonly [Name in keyof typeof SETTINGS]: (typeof SETTINGS)[Name] extends Setting<infer T> ? T : never;
};

/** All settings, parsed and frozen, and what follows from them. */
export interface Config extends Values {
  readonly production: boolean;
  readonly WEBHOOK_ALLOW_PRIVATE: boolean;
  readonly REQUIRE_API_KEY: ReadonlySet<Area>;
}

/** Settings that only a separate key-holder reads, so that its environment can be the same file. */
export const SETTINGS_OF_KEYHOLDER: Readonly<Record<string, { secret?: true }>> = {
  KEYHOLDER_HOST: {},
  KEYHOLDER_PORT: {},
  KEYHOLDER_DATA_DIR: {},
  KEYHOLDER_DATABASE_URL: { secret: true },
  KEYHOLDER_DATABASE_WAIT_SECONDS: {},
  KEYHOLDER_MASTER_KEY: { secret: true },
  KEYHOLDER_METRICS_PORT: {},
  KEYHOLDER_METRICS_HOST: {},
  KEYHOLDER_METRICS_TOKEN: { secret: true },
};

export type Environment = Readonly<Record<string, string | undefined>>;

/** Throws a StartError with every problem at once. An empty variable counts as unset. */
export function loadConfig(environment: Environment): Config {
  const problems = findMisnamedSettings(environment, { ...SETTINGS_OF_KEYHOLDER, ...SETTINGS });
  const refused = new Set<string>();
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries<Setting<unknown>>(SETTINGS)) {
    const given = environment[name]?.trim() || setting.default;
    if (setting.refusesEmpty && environment[name]?.trim() === '') {
      problems.push(`${name} is empty: remove it, or set it to none.`);
    }
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
  values['REQUIRE_API_KEY'] ??= new Set(production ? AREAS : []);
  const config = Object.freeze({ ...values, production }) as Config;
  problems.push(
    ...findConflicts(config)
      .filter(([name]) => !refused.has(name))
      .map(([, problem]) => problem),
  );
  if (problems.length > 0) {
    const count = `${problems.length} problem${problems.length === 1 ? '' : 's'}`;
    throw new StartError(`The configuration has ${count}.`, { problems });
  }
  return config;
}

const TOGETHER = [
  ['TLS_CERT', 'TLS_KEY'],
  ['WALLET_CERT', 'WALLET_KEY'],
  ['OIDC_ISSUER', 'OIDC_AUDIENCE', 'OIDC_JWKS_URL'],
  ['CONSOLE_OIDC_ISSUER', 'CONSOLE_OIDC_CLIENT_ID', 'CONSOLE_OIDC_ROLES'],
] as const;

/** Returns conflicts between settings, each with the name of the setting to blame. */
function findConflicts(config: Config): [name: string, problem: string][] {
  const conflicts: [string, string][] = [];
  for (const names of TOGETHER) {
    const missing = names.find((name) => config[name] === undefined);
    if (!missing || names.every((name) => config[name] === undefined)) continue;
    conflicts.push([missing, `${names.slice(0, -1).join(', ')} and ${names.at(-1)} must be set together.`]);
  }
  const neighbor = (['PUBLIC_URL', 'LAUNCH_URL'] as const).find((name) => isSameHost(config[name], config.CONSOLE_URL));
  const refuse = (name: string, applies: boolean, problem: string) => {
    if (applies) conflicts.push([name, problem]);
  };
  refuse(
    'DATABASE_URL',
    config.VECTOR_STORE === 'pgvector' && config.DATABASE_URL === undefined,
    'VECTOR_STORE=pgvector needs DATABASE_URL.',
  );
  refuse(
    'KEYHOLDER_SECRET',
    config.KEYHOLDER_URL !== undefined && config.KEYHOLDER_SECRET === undefined,
    'KEYHOLDER_URL needs KEYHOLDER_SECRET, the one that the key-holder was started with.',
  );
  refuse(
    'CONSOLE_URL',
    neighbor !== undefined,
    `CONSOLE_URL has the host of ${neighbor}; the console needs one of its own, because cookies and passkeys are bound to it.`,
  );
  refuse(
    'MASTER_KEY',
    config.production && config.MASTER_KEY === undefined,
    'MASTER_KEY is required in production (make one with: limen master-key generate): a key file beside the data it seals protects nothing.',
  );
  refuse(
    'DEV_API_KEY',
    config.production && config.DEV_API_KEY !== undefined,
    'DEV_API_KEY is refused in production; create keys with: limen keys create.',
  );
  return conflicts;
}

/** `localhost` may serve both the console and the pages. */
function isSameHost(address: string | undefined, consoleUrl: string | undefined): boolean {
  if (address === undefined || consoleUrl === undefined) return false;
  const { hostname } = new URL(consoleUrl);
  return hostname !== 'localhost' && new URL(address).hostname === hostname;
}

// Parameters of the platform; each other room has its own in `settings.ts`.

export function storageSettings(config: Config) {
  return {
    url: config.DATABASE_URL,
    dataDir: config.DATA_DIR,
    masterKey: config.MASTER_KEY,
    reserveBytes: config.DISK_RESERVE_MB * 2 ** 20,
  };
}

export function httpSettings(config: Config) {
  const { TLS_CERT: certFile, TLS_KEY: keyFile } = config;
  return {
    tls: certFile && keyFile ? { certFile, keyFile, forGood: config.production } : undefined,
    place: { host: config.HOST, port: config.PORT, secure: certFile !== undefined },
    dataDir: config.DATA_DIR,
    trustProxy: config.TRUST_PROXY,
    rateLimit: config.RATE_LIMIT,
    metricsToken: config.METRICS_TOKEN,
  };
}

export function contextSettings(config: Config) {
  const endpoint = config.OTEL_EXPORTER_OTLP_ENDPOINT;
  return {
    storage: storageSettings(config),
    databaseWaitSeconds: config.DATABASE_WAIT_SECONDS,
    allowDevelopmentKeys: !config.production,
    tracing:
      endpoint === undefined
        ? undefined
        : { endpoint, headers: config.OTEL_EXPORTER_OTLP_HEADERS ?? {}, share: config.OTEL_TRACES_SAMPLER_ARG },
  };
}

export function developmentKeySettings(config: Config) {
  return { production: config.production, named: config.DEV_API_KEY, isShared: config.DATABASE_URL !== undefined };
}
