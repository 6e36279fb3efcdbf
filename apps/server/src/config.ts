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
      'Address of the [console](console.md), such as `https://console.example.com/console`. Use a host name of its own, because cookies and passkeys are bound to it. Default: `/console` on `localhost`. A service that is reachable from other machines serves no console until this is set.',
    ),
    TLS_CERT: optional(text).describe(
      'Certificate file (PEM); needs `TLS_KEY`. A renewed pair is [taken without a restart](operate.md#renewing-the-certificate).',
    ),
    TLS_KEY: optional(text).describe('Private key file (PEM); needs `TLS_CERT`.'),
    TRUST_PROXY: required(proxies, 'false').describe(
      'Addresses or networks of the proxies in front whose `X-Forwarded-*` headers are trusted, separated by commas, such as `10.0.0.40` or `10.0.0.0/8`; `true` trusts every client. Without it, all clients behind a proxy count as one address.',
    ),
    LOG_LEVEL: required(oneOf('fatal', 'error', 'warn', 'info', 'debug', 'silent'), 'info').describe(
      'Least severe level to log. `info` writes one line per request.',
    ),
    SHUTDOWN_DELAY_SECONDS: required(integer(0, 300), '0').describe(
      'How long `/ready` fails after SIGTERM before the service stops, so that a load balancer stops sending requests. Requests that arrive in that time are served. A second signal ends the wait.',
    ),
    OTEL_EXPORTER_OTLP_ENDPOINT: optional(webAddress).describe(
      'Collector for traces (OTLP, JSON over HTTP), such as `http://localhost:4318`; `/v1/traces` is appended. Default: no tracing.',
    ),
    OTEL_EXPORTER_OTLP_HEADERS: optional(headerList, { secret: true }).describe(
      'Headers for the collector: `name=value`, separated by commas, values percent-encoded.',
    ),
    OTEL_TRACES_SAMPLER_ARG: required(decimal(0, 1), '1').describe(
      'Share of traces to record, from 0 to 1. All processes sample the same traces.',
    ),
  },
  'Storage and keys': {
    DATA_DIR: required(text, './data').describe('Folder for the database file, master key, datasets and models.'),
    DATABASE_URL: optional(postgresAddress, { secret: true }).describe(
      'PostgreSQL database to use instead of the file in `DATA_DIR`; [account, rights and TLS](deployment.md#postgresql).',
    ),
    DATABASE_WAIT_SECONDS: required(integer(0, 3_600), '30').describe(
      'How long the service waits at startup for a PostgreSQL that does not answer or is read-only before it exits. A running service waits forever; requests get 503 until the database is back.',
    ),
    DISK_RESERVE_MB: required(integer(0, 10_000), '16').describe(
      'Disk space reserved in `DATA_DIR`, so that people and sessions can be deleted when the disk is full. 0 reserves nothing; 16 is enough for any number of deletions.',
    ),
    VECTOR_STORE: required(oneOf('memory', 'pgvector'), 'memory').describe(
      'Store that searches face vectors; `pgvector` needs `DATABASE_URL`.',
    ),
    FACE_MEMORY_MB: optional(integer(16, 1_048_576)).describe(
      'With `VECTOR_STORE=memory`: maximum memory for face vectors. A gallery is loaded when it is first searched and evicted when another needs the space; the largest should fit. Default: all galleries are loaded at startup and stay in memory.',
    ),
    VECTOR_SEARCH: required(oneOf('exact', 'approximate'), 'exact').describe(
      'With `VECTOR_STORE=pgvector`: whether a search may use the graphs that `limen people graphs` made. Graphs are much faster in large galleries but miss some people; a person missed during enrollment is enrolled twice.',
    ),
    MASTER_KEY: optional(oneOrTwo(masterKey), { secret: true }).describe(
      '32 bytes in base64 that encrypt the data keys. Use two, separated by a comma, [while the first replaces the second](operate.md#changing-the-master-key). Default: a 0600 file in `DATA_DIR`, created at the first start. Required in production.',
    ),
    MAX_STRINGS: required(integer(1, 1_000_000_000), '1000000').describe(
      'Maximum number of records in the string store; beyond it, 507. In a closed store, records of test and live keys are counted separately, with this many for each.',
    ),
    MAX_STRINGS_MB: required(integer(1, 1_000_000), '1024').describe(
      'Maximum size of all values in the string store in MB of UTF-8; beyond it, 507. Values of test and live keys are counted separately. Replies stored for an `Idempotency-Key` repeat the value for a day and are not counted.',
    ),
    MAX_SUBJECTS: required(integer(1, 1_000_000_000), '1000000').describe(
      'Maximum number of watched subjects of one customer in each world (for test keys never more than 100,000); beyond it, 507. A million subjects take about 4 GB of disk and 0.25 GB of memory.',
    ),
  },
  Access: {
    DEV_API_KEY: optional(textOfAtLeast(16), { secret: true }).describe(
      'Value of the development key. Default: a random one. Refused in production. A key that was set once stays valid after the setting is removed, until it is revoked with `limen keys revoke`.',
    ),
    REQUIRE_API_KEY: optional(setOrNone(...AREAS), { refusesEmpty: true }).describe(
      'Areas that require an API key: `strings`, `sanctions`, `strings,sanctions` or `none`. Default: `none`, but `strings,sanctions` in production. A closed string store is a separate store for each customer, apart from the open one, so a change of this setting hides records but does not lose them.',
    ),
    RATE_LIMIT: optional(rateLimits).describe(
      'Requests per second, per API key and per address, everywhere but on the biometric node, probes and pages: `key=100:200,address=50` (the number after the colon is the burst). Off by default.',
    ),
    METRICS_TOKEN: optional(textOfAtLeast(16), { secret: true }).describe(
      'Bearer token for `/metrics`. Without it, only loopback clients may read the metrics.',
    ),
    OIDC_ISSUER: optional(exactWebAddress).describe(
      'Issuer of the bearer tokens that session creation may carry, exactly as in their `iss`, trailing slash included. Needs the two settings below; with none of the three, `Authorization` is ignored.',
    ),
    OIDC_AUDIENCE: optional(text).describe('Audience that those tokens must name.'),
    OIDC_JWKS_URL: optional(exactWebAddress).describe(
      'Address at which the issuer publishes its keys. Use https outside your own machine: anyone who can change the reply can forge tokens.',
    ),
    CONSOLE_OIDC_ISSUER: optional(providerAddress).describe(
      'Identity provider that operators may sign in to the [console](console.md#sign-in-with-your-identity-provider) with, exactly as it calls itself. Needs `CONSOLE_OIDC_CLIENT_ID` and `CONSOLE_OIDC_ROLES`. Https, except on this machine.',
    ),
    CONSOLE_OIDC_CLIENT_ID: optional(text).describe('Client id of this console at the provider.'),
    CONSOLE_OIDC_CLIENT_SECRET: optional(text, { secret: true }).describe(
      'Client secret of this console at the provider. Without one, the console is a public client.',
    ),
    CONSOLE_OIDC_ROLES: optional(groupRoles).describe(
      'Roles of the provider’s groups: `limen-admins=admin,fraud-team=reviewer`. The first matching group counts. People in none of these groups cannot sign in.',
    ),
    CONSOLE_OIDC_GROUPS_CLAIM: required(text, 'groups').describe(
      'Claim that lists a person’s groups, in the ID token or the user info reply.',
    ),
    CONSOLE_OIDC_SCOPES: required(text, 'openid profile email').describe(
      'Scopes to request, separated by spaces. Some providers require `groups`.',
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
      'How long a session that ended with `REVIEW` waits for a [decision](console.md#review) before it is deleted. A decided session is kept for `RETENTION_HOURS`.',
    ),
    REVIEW_DUE_HOURS: required(integer(1, 8_760), '24').describe(
      'Hours until an undecided case is overdue in the console and the metrics.',
    ),
    REVIEW_EYES: required(integer(1, 2), '1').describe(
      'Number of reviewers who must agree on a case. With `2`, a second reviewer confirms the proposal of the first.',
    ),
    WEBHOOK_ALLOW_PRIVATE: optional(boolean).describe(
      'Whether webhooks may go to private and loopback addresses. Default: `true`, but `false` in production. Link-local addresses are always refused.',
    ),
    WEBHOOKS: required(oneOf('send', 'hold'), 'send').describe(
      'With `hold`, webhooks are queued and this process sends none; use it to [try a backup](operate.md#restore). A process of the same database that runs with `send` delivers them, as long as their bodies are kept (`RETENTION_HOURS`).',
    ),
    DELIVERY_LOG_DAYS: required(integer(1, 3_650), '30').describe(
      'Days that the [delivery log](webhooks.md#the-delivery-log) keeps a row after its body is deleted. Redacting a session deletes its rows.',
    ),
    WEBHOOK_TIMEOUT_MS: required(integer(100, 60_000), '15000').describe('Timeout for a webhook receiver’s reply.'),
    BURST_PER_MINUTE: required(integer(0, 1_000_000), '60').describe(
      'Checks that one live API key may finish per minute from one IPv4 address or IPv6 /64. Further checks get at most `REVIEW` and the flag `ADDRESS_BURST`. 0 turns the count off. Only client addresses count: public peers, or any peer if `TRUST_PROXY` is set. Keys made with `limen keys create --kiosk` are exempt.',
    ),
    LIGHT_CHALLENGE: required(oneOf('off', 'flag', 'enforce'), 'flag').describe(
      'Whether the screen lights the face in unpredictable colors, and what happens if the face does not reflect them. `off`: no light, unless a session asks for it (`light`). `flag`: the recommendation is at most `REVIEW`. `enforce`: the face counts as a spoof.',
    ),
    AGE_KEYS: required(oneOf('off', 'customer', 'all'), 'customer').describe(
      'Accepted [age keys](proofs.md#age-keys). `customer`: keys from the same customer’s sessions. `all`: also keys from other customers, in sessions that ask for them (`ageKeyFrom: "any"`). `off`: age keys are neither made nor accepted.',
    ),
    AGE_BOUND_SPREAD: required(decimal(0, 5), String(AGE_BOUND.spread)).describe(
      'Share of the deep model’s spread subtracted for the lower bound of an age ([tuning](how-a-check-works.md#with-people-of-your-own)). A higher value sends more adults to another check and lets fewer minors in.',
    ),
    AGE_BOUND_MIRROR: required(decimal(0, 5), String(AGE_BOUND.mirror)).describe(
      'Share of the difference between the small model’s estimates for the face and its mirror image, also subtracted for the lower bound.',
    ),
    AGE_BOUND_YEARS: required(decimal(0, 20), String(AGE_BOUND.years)).describe(
      'Years subtracted from every estimate for the lower bound.',
    ),
    WALLET_CERT: optional(text).describe(
      'Certificate file (PEM, followed by its chain) that signs requests to [wallets](proofs.md#signed-requests); needs `WALLET_KEY`. Default: requests are not signed.',
    ),
    WALLET_KEY: optional(text).describe(
      'Private key file of that certificate (PEM, on the curve P-256); needs `WALLET_CERT`.',
    ),
    WALLET_CLIENT_ID: required(oneOf('x509_hash', 'x509_san_dns'), 'x509_hash').describe(
      'Client id in signed requests: the fingerprint of the certificate, or the host of the launch page, which the certificate must name.',
    ),
    WALLET_CRL: required(oneOf('required', 'optional', 'off'), 'required').describe(
      'Revocation check of [wallet issuers](proofs.md#revoked-certificates) by certificate revocation list. `required`: proofs are rejected while an issuer’s list is unavailable. `optional`: only certificates on a list are rejected. `off`: no lists are fetched.',
    ),
    FRAME_ANCESTORS: optional(frameAncestors).describe(
      'Origins that may [embed](embedding.md) the launch page in a frame, separated by commas, for API keys without sites of their own. Default: none.',
    ),
    MODELS_DIR: optional(text).describe(
      'Folder of the face models. Default: `models` in `DATA_DIR`. The container image sets it, because it ships the models.',
    ),
    MODEL_MANIFEST: optional(text).describe(
      'JSON file with a manifest of face models that replaces the shipped one ([models](how-a-check-works.md#models)). The service does not start if it has errors.',
    ),
  },
  Sanctions: {
    DATASET_SYNC_HOURS: required(integer(0, 8_760), '0').describe(
      'Hours between refreshes of all sanctions lists that have an address; 0 is never. Overdue lists are refreshed within two minutes after startup.',
    ),
  },
  'Biometric node': {
    NODE_RATE_LIMIT: required(integer(1, 1_000_000), '100').describe('Requests per second for each API key.'),
    NODE_RATE_BURST: required(integer(1, 1_000_000), '200').describe(
      'Burst: requests that an idle API key may send at once.',
    ),
    NODE_STRANGER_RATE_LIMIT: required(integer(1, 1_000_000), '5').describe(
      'Requests per second from an address without a valid API key in the header. A request whose body has a valid key does not count.',
    ),
    NODE_STRANGER_RATE_BURST: required(integer(1, 1_000_000), '50').describe(
      'Burst of such requests per address; further requests get 429 before their body is read.',
    ),
    NODE_MAX_EMBEDDINGS: required(integer(1, 1_000_000_000), '2000000').describe(
      'Maximum number of embeddings in all galleries together; beyond it, 507. Live and test keys are counted separately, so tests take no room from live people. In memory, an embedding of 512 numbers takes about 2.9 KB.',
    ),
    NODE_MATCH_THRESHOLD: optional(decimal(0, 1)).describe(
      'Minimum similarity of two faces of one person, for every model version; it rises with the size of the gallery. Default: by model version (0.6 for `FACE3_*`).',
    ),
  },
  'Sign-in': {
    KEYHOLDER_URL: optional(keyHolderAddresses).describe(
      'Address of a [key-holder](keyholder.md) that runs as a separate process, such as `tls://10.0.0.7:8443`, or addresses, separated by commas, of [several that share a database](keyholder.md#several-key-holders); needs `KEYHOLDER_SECRET`. Default: a worker thread.',
    ),
    KEYHOLDER_SECRET: optional(oneOrTwo(textOfAtLeast(32)), { secret: true }).describe(
      'Shared secret of the service and the key-holder. Use two, separated by a comma, [while one replaces the other](keyholder.md#changing-the-secret).',
    ),
    KEYHOLDER_MATCH_THRESHOLD: optional(decimal(0, 1)).describe(
      'Minimum similarity of two faces of one person during sign-in; it rises with the size of the gallery. Default: measured for the model. Applies to the worker thread; a separate key-holder has its own setting of this name.',
    ),
    KEYHOLDER_ANSWERS_PER_HOUR: required(integer(1, 1_000_000_000), '3600').describe(
      'Maximum answers per hour that the key-holder gives about one customer’s faces ([why](keyholder.md#how-many-answers)). Applies to the worker thread; a separate key-holder has its own setting of this name.',
    ),
    KEYHOLDER_ANSWERS_PER_ADDRESS: required(integer(1, 1_000_000_000), '600').describe(
      'Maximum answers per hour through one address (IPv4, or IPv6 /64), never more than half of all. Known devices at the address have a separate budget, twice as large. Applies to the worker thread; a separate key-holder has its own setting of this name.',
    ),
    KEYHOLDER_ANSWERS_PER_PERSON: required(integer(1, 1_000_000_000), '120').describe(
      'Maximum answers per hour about one person, never more than a quarter of all. The person’s known devices have a separate budget of the same size. Applies to the worker thread; a separate key-holder has its own setting of this name.',
    ),
    KEYHOLDER_ENROLMENTS_PER_HOUR: required(integer(1, 1_000_000_000), '1200').describe(
      'Maximum answers per hour to one customer’s enrollments, counted separately from sign-ins. Applies to the worker thread; a separate key-holder has its own setting of this name.',
    ),
    KEYHOLDER_ENROLMENTS_PER_ADDRESS: required(integer(1, 1_000_000_000), '120').describe(
      'Maximum enrollments per hour through one address (IPv4, or IPv6 /64). Raise it for the day on which a whole office enrolls. Applies to the worker thread; a separate key-holder has its own setting of this name.',
    ),
    AUDIT_DAYS: required(integer(1, 36_500), '400').describe(
      'Days that the console’s [audit log](console.md#the-audit-log) and the key-holder’s [audit](keyholder.md#the-audit) keep their lines; checkpoints stay. A separate key-holder has its own setting of this name.',
    ),
    MAX_PEOPLE: required(integer(1, 10_000_000), '100000').describe(
      'Maximum number of people that one customer can enroll, unfinished enrollments included. The sign-in threshold rises with this number ([why there is a limit](keyholder.md#how-many-people)), so set it near what you expect.',
    ),
    TOKEN_MEMORY_MB: required(integer(16, 1_048_576), '2048').describe(
      'Memory for face tokens that are ready for comparison: 16 KB each, or 4 KB in [blocks of four](face-tokens.md#four-people-to-a-block). Galleries that do not fit are read again for each search.',
    ),
    LOCAL_SIGN_INS: required(integer(1, 1_000), '10').describe(
      'On a known device, the server compares the face on every Nth sign-in, because a tampered page could skip its own comparison. 1 is every time.',
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
    const text = environment[name]?.trim() || setting.default;
    if (setting.refusesEmpty && environment[name]?.trim() === '') {
      problems.push(`${name} is empty: remove it, or set it to none.`);
    }
    if (text === undefined) continue;
    try {
      values[name] = setting.parse(text);
    } catch (error) {
      refused.add(name);
      const shown = setting.secret ? '' : ` (it is ${JSON.stringify(text)})`;
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
