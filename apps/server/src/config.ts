// Every setting of the service: one table that parses the environment and that docs/configuration.md is made from. It is long
// because it is whole: who looks for a setting, or adds one, has one place to look, and no two can get the same name.
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
  /** As it would be written in the environment; `undefined` means unset. */
  default: string | undefined;
  group: SettingGroup;
  description: string;
  /** The value is never shown, not even in an error. */
  secret?: true;
  /** Whether an empty value stops the start, because it could mean either of two things. */
  refusesEmpty?: true;
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

/** Areas that may be open: their requests need no API key. */
export const AREAS = ['strings', 'sanctions'] as const;
export type Area = (typeof AREAS)[number];

export const SETTINGS = {
  NODE_ENV: required({
    parse: oneOf('development', 'test', 'production'),
    default: 'development',
    group: 'Service',
    description:
      '`production` refuses everything that is only safe on a developer’s machine: the master key file, development keys, and (unless explicitly allowed) webhooks to private addresses. With `test`, no face models are fetched and no pages are built.',
  }),
  HOST: required({
    parse: text,
    default: 'localhost',
    group: 'Service',
    description:
      'Address to listen on. `localhost` is this machine only, on both loopback addresses (127.0.0.1, and ::1 if there is IPv6); `0.0.0.0` is every address.',
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
      'Address at which others reach the service; launch URLs begin with it. Never taken from a request. Default: the address the service listens on, `http://localhost:8080` out of the box.',
  }),
  LAUNCH_URL: optional({
    parse: pageAddress,
    group: 'Service',
    description:
      'Address of the launch page, with its final slash if it has one: launch URLs are this address and `?sessionId=…`. Default: `{PUBLIC_URL}/launch`.',
  }),
  SERVE: required({
    parse: setOf('core', 'node', 'launch', 'console'),
    default: 'core,node,launch,console',
    group: 'Service',
    description:
      'Parts that this process serves: `core` (string store, sanctions check, age and verification sessions), `node` (biometric node), `launch` (launch page), `console` ([operators’ page](console.md)).',
  }),
  CONSOLE_URL: optional({
    parse: consoleAddress,
    group: 'Service',
    description:
      'Address of the [console](console.md), such as `https://console.example.com/console`: a host name that nothing else here has, because cookies and passkeys are bound to it. Default: `/console` on `localhost`. A service that others than this machine can reach serves no console until this is set.',
  }),
  TLS_CERT: optional({
    parse: text,
    group: 'Service',
    description:
      'Certificate file (PEM); needs `TLS_KEY`. A renewed pair is [taken without a restart](operation.md#renewing-the-certificate).',
  }),
  TLS_KEY: optional({ parse: text, group: 'Service', description: 'Private key file (PEM); needs `TLS_CERT`.' }),
  TRUST_PROXY: required({
    parse: proxies,
    default: 'false',
    group: 'Service',
    description:
      'Addresses or networks of the proxies in front whose `X-Forwarded-*` headers are trusted, separated by commas, such as `10.0.0.40` or `10.0.0.0/8`; `true` trusts every client. Without it, all clients behind a proxy count as one address.',
  }),
  LOG_LEVEL: required({
    parse: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'silent'),
    default: 'info',
    group: 'Service',
    description: 'Least severe level to log. `info` writes one line per request.',
  }),
  SHUTDOWN_DELAY_SECONDS: required({
    parse: integer(0, 300),
    default: '0',
    group: 'Service',
    description:
      'How long `/ready` refuses after SIGTERM before the service stops, so that a load balancer sends no more requests. Requests that come in that time are served. A second signal ends the wait.',
  }),
  DATA_DIR: required({
    parse: text,
    default: './data',
    group: 'Storage and keys',
    description: 'Folder for the database file, master key, datasets and models.',
  }),
  DATABASE_URL: optional({
    parse: postgresAddress,
    group: 'Storage and keys',
    secret: true,
    description:
      'PostgreSQL database to use instead of the file in `DATA_DIR`; [account, rights and TLS](deployment.md#postgresql).',
  }),
  DATABASE_WAIT_SECONDS: required({
    parse: integer(0, 3_600),
    default: '30',
    group: 'Storage and keys',
    description:
      'How long the start waits for a PostgreSQL that does not answer yet, or is read-only, before it fails. Once it runs, the service waits forever: requests get 503 until the database is back.',
  }),
  DISK_RESERVE_MB: required({
    parse: integer(0, 10_000),
    default: '16',
    group: 'Storage and keys',
    description:
      'Space reserved beside the database file, so that people and sessions can be deleted when the disk is full. 0 reserves nothing; 16 is enough for any number of deletions.',
  }),
  VECTOR_STORE: required({
    parse: oneOf('memory', 'pgvector'),
    default: 'memory',
    group: 'Storage and keys',
    description: 'Where face vectors are searched; `pgvector` needs `DATABASE_URL`.',
  }),
  FACE_MEMORY_MB: optional({
    parse: integer(16, 1_048_576),
    group: 'Storage and keys',
    description:
      'With `VECTOR_STORE=memory`: the most memory for face vectors. Each gallery is then read when it is first searched, and let go when another needs its room; the largest alone should fit. Default: all galleries are read at the start and stay.',
  }),
  VECTOR_SEARCH: required({
    parse: oneOf('exact', 'approximate'),
    default: 'exact',
    group: 'Storage and keys',
    description:
      'With `VECTOR_STORE=pgvector`: whether a search may use the graphs that `limen people graphs` made. They are much faster in large galleries and miss somebody now and then; whoever is missed at enrolment is enrolled twice.',
  }),
  MASTER_KEY: optional({
    parse: oneOrTwo(masterKey),
    group: 'Storage and keys',
    secret: true,
    description:
      '32 bytes in base64 under which everything sensitive is sealed. Two, with a comma between them, [while the first replaces the second](operation.md#changing-the-master-key). Default: a 0600 file in `DATA_DIR`, created at the first start. Required in production.',
  }),
  MAX_STRINGS: required({
    parse: integer(1, 1_000_000_000),
    default: '1000000',
    group: 'Storage and keys',
    description:
      'Maximum number of records in the string store; beyond it, 507. In a closed store, records of test and live keys are counted separately, with this many for each.',
  }),
  MAX_STRINGS_MB: required({
    parse: integer(1, 1_000_000),
    default: '1024',
    group: 'Storage and keys',
    description:
      'Maximum size of the values in the string store in MB of UTF-8; beyond it, 507. Values of test and live keys are counted separately, as their number is. Replies that are kept for an `Idempotency-Key` repeat the value for a day and are not counted.',
  }),
  MAX_SUBJECTS: required({
    parse: integer(1, 1_000_000_000),
    default: '1000000',
    group: 'Storage and keys',
    description:
      'Maximum number of watched subjects of one customer in each world (for test keys never more than 100,000); beyond it, 507. A million subjects take some 4 GB of disk and 0.25 GB of memory.',
  }),
  DEV_API_KEY: optional({
    parse: textOfAtLeast(16),
    group: 'Access',
    secret: true,
    description:
      'Value of the development key. Default: a random one. Refused in production. A key that was set once stays valid without the setting, until `limen keys revoke` ends it.',
  }),
  REQUIRE_API_KEY: optional({
    parse: setOrNone(...AREAS),
    group: 'Access',
    refusesEmpty: true,
    description:
      'Areas that require an API key: `strings`, `sanctions`, both with a comma between them, or `none`. Default: `none`, but `strings,sanctions` in production. A closed string store is a separate store for each customer, apart from the open one, so a change of this setting hides records but does not lose them.',
  }),
  RATE_LIMIT: optional({
    parse: rateLimits,
    group: 'Access',
    description:
      'Requests per second, per API key and per address, everywhere but on the biometric node, probes and pages: `key=100:200,address=50` (the number after the colon is the burst). Off by default.',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional({
    parse: webAddress,
    group: 'Service',
    description:
      'Collector that gets traces, as OTLP in JSON over HTTP: `http://localhost:4318`. `/v1/traces` is added. Without it nothing is traced.',
  }),
  OTEL_EXPORTER_OTLP_HEADERS: optional({
    parse: headerList,
    group: 'Service',
    secret: true,
    description: 'Headers for the collector: `name=value`, several with commas, values percent-encoded.',
  }),
  OTEL_TRACES_SAMPLER_ARG: required({
    parse: decimal(0, 1),
    default: '1',
    group: 'Service',
    description: 'Share of traces that are recorded, from 0 to 1. All processes choose the same ones.',
  }),
  METRICS_TOKEN: optional({
    parse: textOfAtLeast(16),
    group: 'Access',
    secret: true,
    description: 'Bearer token for `/metrics`. Without it, only loopback may read them.',
  }),
  OIDC_ISSUER: optional({
    parse: exactWebAddress,
    group: 'Access',
    description:
      'Issuer of the bearer tokens that session creation may carry, exactly as in their `iss`, trailing slash included. Needs the two settings below; with none of the three, `Authorization` is ignored.',
  }),
  OIDC_AUDIENCE: optional({ parse: text, group: 'Access', description: 'Audience that those tokens must name.' }),
  OIDC_JWKS_URL: optional({
    parse: exactWebAddress,
    group: 'Access',
    description:
      'Where the issuer publishes its keys. Use https beyond your own machine: anyone who can change this reply can make tokens.',
  }),
  CONSOLE_OIDC_ISSUER: optional({
    parse: providerAddress,
    group: 'Access',
    description:
      'Identity provider that operators may sign in to the [console](console.md#sign-in-with-your-identity-provider) with, exactly as it calls itself. Needs `CONSOLE_OIDC_CLIENT_ID` and `CONSOLE_OIDC_ROLES`. Https, except on this machine.',
  }),
  CONSOLE_OIDC_CLIENT_ID: optional({
    parse: text,
    group: 'Access',
    description: 'What the provider calls this console.',
  }),
  CONSOLE_OIDC_CLIENT_SECRET: optional({
    parse: text,
    group: 'Access',
    secret: true,
    description: 'The secret that goes with it. Without one, the console is a public client.',
  }),
  CONSOLE_OIDC_ROLES: optional({
    parse: groupRoles,
    group: 'Access',
    description:
      'Which of the provider’s groups has which role: `limen-admins=admin,fraud-team=reviewer`. Of several the first counts; whoever is in none of them is not let in.',
  }),
  CONSOLE_OIDC_GROUPS_CLAIM: required({
    parse: text,
    default: 'groups',
    group: 'Access',
    description: 'The claim that lists somebody’s groups, in the ID token or in what the provider’s user info says.',
  }),
  CONSOLE_OIDC_SCOPES: required({
    parse: text,
    default: 'openid profile email',
    group: 'Access',
    description: 'What the provider is asked for, separated by spaces; some want `groups` among them.',
  }),
  SESSION_TTL_SECONDS: required({
    parse: integer(1, 86_400),
    default: '1800',
    group: 'Sessions and webhooks',
    description: 'Lifetime of a session, from creation to `expiresAt`.',
  }),
  RETENTION_HOURS: required({
    parse: integer(1, 8_760),
    default: '24',
    group: 'Sessions and webhooks',
    description: 'How long an ended session is kept before its row is deleted.',
  }),
  REVIEW_DAYS: required({
    parse: integer(1, 365),
    default: '14',
    group: 'Sessions and webhooks',
    description:
      'How long a session that ended with `REVIEW` waits for somebody to [decide it](console.md#review); without a decision it is forgotten then. A decided one stays for `RETENTION_HOURS`.',
  }),
  REVIEW_DUE_HOURS: required({
    parse: integer(1, 8_760),
    default: '24',
    group: 'Sessions and webhooks',
    description:
      'Within how many hours a case is to be decided. After that the console and the metrics call it overdue.',
  }),
  REVIEW_EYES: required({
    parse: integer(1, 2),
    default: '1',
    group: 'Sessions and webhooks',
    description: 'How many reviewers must agree on a case: with `2`, a second one confirms what the first proposes.',
  }),
  WEBHOOK_ALLOW_PRIVATE: optional({
    parse: boolean,
    group: 'Sessions and webhooks',
    description:
      'Whether webhooks may go to private and loopback addresses. Default: `true`, but `false` in production. Link-local addresses are always refused.',
  }),
  WEBHOOKS: required({
    parse: oneOf('send', 'hold'),
    default: 'send',
    group: 'Sessions and webhooks',
    description:
      'With `hold`, webhooks are written and wait, and this process sends none: for [trying a backup](operation.md#restore). They are sent once a process of the same database runs with `send`, if their bodies are still kept (`RETENTION_HOURS`).',
  }),
  DELIVERY_LOG_DAYS: required({
    parse: integer(1, 3_650),
    default: '30',
    group: 'Sessions and webhooks',
    description:
      'How many days the [delivery log](webhooks.md#the-delivery-log) keeps a row whose body is gone. The rows of a redacted session are deleted with it.',
  }),
  WEBHOOK_TIMEOUT_MS: required({
    parse: integer(100, 60_000),
    default: '15000',
    group: 'Sessions and webhooks',
    description: 'How long a webhook receiver may take to answer.',
  }),
  BURST_PER_MINUTE: required({
    parse: integer(0, 1_000_000),
    default: '60',
    group: 'Sessions and webhooks',
    description:
      'How many checks one live API key may finish within a minute from one IPv4 address or IPv6 /64; those beyond are at most `REVIEW`, flagged `ADDRESS_BURST`. 0 counts none. It counts only where the address is the client’s: a public peer, or `TRUST_PROXY` is set. Keys made with `limen keys create --kiosk` are exempt.',
  }),
  LIGHT_CHALLENGE: required({
    parse: oneOf('off', 'flag', 'enforce'),
    default: 'flag',
    group: 'Sessions and webhooks',
    description:
      'Whether the screen lights the face in colours that nobody can foresee, and what follows if the face does not show them: `off` asks for no light unless a session does (`light`); `flag` makes the recommendation at most `REVIEW`; `enforce` takes the face for a spoof.',
  }),
  AGE_KEYS: required({
    parse: oneOf('off', 'customer', 'all'),
    default: 'customer',
    group: 'Sessions and webhooks',
    description:
      'Which [age keys](proofs.md#age-keys) count. `customer`: a customer’s sessions accept the keys that its own sessions earned. `all`: also the keys of other customers, in sessions that ask for them (`ageKeyFrom: "any"`). `off`: none is made or accepted.',
  }),
  AGE_BOUND_SPREAD: required({
    parse: decimal(0, 5),
    default: String(AGE_BOUND.spread),
    group: 'Sessions and webhooks',
    description:
      'How careful the lower bound of a face’s age is ([with people of your own](age.md#with-people-of-your-own)): this much of the deep model’s spread is taken off. More sends more adults on and lets fewer minors in.',
  }),
  AGE_BOUND_MIRROR: required({
    parse: decimal(0, 5),
    default: String(AGE_BOUND.mirror),
    group: 'Sessions and webhooks',
    description:
      'Likewise: this much of the difference between the small model’s answers for the face and its mirror image.',
  }),
  AGE_BOUND_YEARS: required({
    parse: decimal(0, 20),
    default: String(AGE_BOUND.years),
    group: 'Sessions and webhooks',
    description: 'Likewise: so many years on top, from everybody.',
  }),
  WALLET_CERT: optional({
    parse: text,
    group: 'Sessions and webhooks',
    description:
      'Certificate file (PEM, its chain below it) with which requests to [wallets](wallets.md#signed-requests) are signed; needs `WALLET_KEY`. Default: requests are not signed.',
  }),
  WALLET_KEY: optional({
    parse: text,
    group: 'Sessions and webhooks',
    description: 'Private key file of that certificate (PEM, on the curve P-256); needs `WALLET_CERT`.',
  }),
  WALLET_CLIENT_ID: required({
    parse: oneOf('x509_hash', 'x509_san_dns'),
    default: 'x509_hash',
    group: 'Sessions and webhooks',
    description:
      'How signed requests name this service: by the fingerprint of the certificate, or by the host of the launch page, which the certificate must then name.',
  }),
  WALLET_CRL: required({
    parse: oneOf('required', 'optional', 'off'),
    default: 'required',
    group: 'Sessions and webhooks',
    description:
      'Whether issuers of [wallets](wallets.md#revoked-certificates) are looked up in the lists of revoked certificates that their certificates name: `required` takes nothing of an issuer whose list cannot be had; `optional` does, and only refuses certificates that a list names; `off` fetches no lists.',
  }),
  FRAME_ANCESTORS: optional({
    parse: frameAncestors,
    group: 'Sessions and webhooks',
    description:
      'Origins that may [embed](embedding.md) the launch page in a frame, separated by commas, for sessions of API keys that name no sites of their own. Default: none.',
  }),
  MODELS_DIR: optional({
    parse: text,
    group: 'Sessions and webhooks',
    description:
      'Where the face models are kept and fetched to. Default: `models` in `DATA_DIR`. The image sets it: it has them already.',
  }),
  MODEL_MANIFEST: optional({
    parse: text,
    group: 'Sessions and webhooks',
    description:
      'Your own manifest of face models, a JSON file, instead of the shipped one ([models](models.md)). Mistakes in it stop the start.',
  }),
  DATASET_SYNC_HOURS: required({
    parse: integer(0, 8_760),
    default: '0',
    group: 'Sanctions',
    description:
      'How often, in hours, to refresh all sanctions lists that came from an address; 0 is never. Lists that are already due are refreshed within two minutes of the start.',
  }),
  NODE_RATE_LIMIT: required({
    parse: integer(1, 1_000_000),
    default: '100',
    group: 'Biometric node',
    description: 'Requests per second for each API key.',
  }),
  NODE_RATE_BURST: required({
    parse: integer(1, 1_000_000),
    default: '200',
    group: 'Biometric node',
    description: 'How many requests an idle API key may send at once.',
  }),
  NODE_STRANGER_RATE_LIMIT: required({
    parse: integer(1, 1_000_000),
    default: '5',
    group: 'Biometric node',
    description:
      'Requests per second from an address without a valid API key in the header. If the body turns out to have a valid key, the request does not count.',
  }),
  NODE_STRANGER_RATE_BURST: required({
    parse: integer(1, 1_000_000),
    default: '50',
    group: 'Biometric node',
    description: 'How many such requests an address may send at once; then 429, before a body is read.',
  }),
  NODE_MAX_EMBEDDINGS: required({
    parse: integer(1, 1_000_000_000),
    default: '2000000',
    group: 'Biometric node',
    description:
      'Maximum number of embeddings in all galleries together; beyond it, 507. Live and test keys are counted separately, so tests take no room from live people. In memory, an embedding of 512 numbers takes about 2.9 KB.',
  }),
  NODE_MATCH_THRESHOLD: optional({
    parse: decimal(0, 1),
    group: 'Biometric node',
    description:
      'Similarity from which two faces count as one person, for every model version; it still grows with the gallery. Default: by model version (0.6 for `FACE3_*`).',
  }),
  KEYHOLDER_URL: optional({
    parse: keyHolderAddresses,
    group: 'Sign-in',
    description:
      'Address of a key-holder that runs as a separate process, such as `tls://10.0.0.7:8443` ([the key-holder](keyholder.md)), or, with commas between them, of [several that share a database](keyholder.md#several-key-holders); needs `KEYHOLDER_SECRET`. Default: a worker thread.',
  }),
  KEYHOLDER_SECRET: optional({
    parse: oneOrTwo(textOfAtLeast(32)),
    group: 'Sign-in',
    secret: true,
    description:
      'The secret that service and key-holder prove to each other that they know; the same on both sides. Two, with a comma between them, [while one replaces the other](keyholder.md#changing-the-secret).',
  }),
  KEYHOLDER_MATCH_THRESHOLD: optional({
    parse: decimal(0, 1),
    group: 'Sign-in',
    description:
      'Similarity from which two faces count as one person when somebody signs in; it still grows with the gallery. Default: by the model’s measurements. Applies to the worker thread; a separate key-holder has its own setting of this name.',
  }),
  KEYHOLDER_ANSWERS_PER_HOUR: required({
    parse: integer(1, 1_000_000_000),
    default: '3600',
    group: 'Sign-in',
    description:
      'Most answers that the key-holder gives about one customer’s faces in an hour ([why](keyholder.md#how-many-answers)). Applies to the worker thread; a separate key-holder has its own setting of this name.',
  }),
  KEYHOLDER_ANSWERS_PER_ADDRESS: required({
    parse: integer(1, 1_000_000_000),
    default: '600',
    group: 'Sign-in',
    description:
      'Most of these answers through one address (IPv4, or IPv6 /64) in an hour, and at most half of all. Known devices there have a separate budget, twice as large. Applies to the worker thread; a separate key-holder has its own setting of this name.',
  }),
  KEYHOLDER_ANSWERS_PER_PERSON: required({
    parse: integer(1, 1_000_000_000),
    default: '120',
    group: 'Sign-in',
    description:
      'Most of these answers about one person in an hour, and at most a quarter of all. Their known devices have a separate budget of the same size. Applies to the worker thread; a separate key-holder has its own setting of this name.',
  }),
  KEYHOLDER_ENROLMENTS_PER_HOUR: required({
    parse: integer(1, 1_000_000_000),
    default: '1200',
    group: 'Sign-in',
    description:
      'Most answers that the key-holder gives to one customer’s enrolments in an hour, counted separately from sign-ins. Applies to the worker thread; a separate key-holder has its own setting of this name.',
  }),
  KEYHOLDER_ENROLMENTS_PER_ADDRESS: required({
    parse: integer(1, 1_000_000_000),
    default: '120',
    group: 'Sign-in',
    description:
      'Most enrolments through one address (IPv4, or IPv6 /64) in an hour; raise it for the day on which a whole office enrols. Applies to the worker thread; a separate key-holder has its own setting of this name.',
  }),
  AUDIT_DAYS: required({
    parse: integer(1, 36_500),
    default: '400',
    group: 'Sign-in',
    description:
      'How many days the lines of the console’s [audit log](console.md#the-audit-log) and of the key-holder’s [audit](keyholder.md#the-audit) are kept; their checkpoints stay. A separate key-holder has its own setting of this name.',
  }),
  MAX_PEOPLE: required({
    parse: integer(1, 10_000_000),
    default: '100000',
    group: 'Sign-in',
    description:
      'Maximum number of people that one customer can enrol by verification sessions, including those whose enrolment has not ended. The threshold of a sign-in grows with their number ([why there is a limit](keyholder.md#how-many-people)), so set it near what you expect.',
  }),
  TOKEN_MEMORY_MB: required({
    parse: integer(16, 1_048_576),
    default: '2048',
    group: 'Sign-in',
    description:
      'Memory for face tokens that are kept ready for comparison: 16 KB each, and 4 KB of those that are in [blocks of four](token.md#four-people-to-a-block). Galleries that do not fit are read again for each search.',
  }),
  LOCAL_SIGN_INS: required({
    parse: integer(1, 1_000),
    default: '10',
    group: 'Sign-in',
    description:
      'How often the server compares the face too when somebody signs in on a known device: every Nth time, because a tampered page could skip its own comparison. 1 is every time.',
  }),
  PASSKEY_RP_ID: optional({
    parse: text,
    group: 'Sign-in',
    description:
      'Domain that passkeys are bound to. Default: the host of `PUBLIC_URL`. A numeric address does not work: browsers require a name.',
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

/** Settings that do not go together, each with the name of the one to blame. */
function findConflicts(config: Config): [name: string, problem: string][] {
  const conflicts: [string, string][] = [];
  if ((config.TLS_CERT === undefined) !== (config.TLS_KEY === undefined)) {
    conflicts.push(['TLS_CERT', 'TLS_CERT and TLS_KEY must be set together.']);
  }
  if ((config.WALLET_CERT === undefined) !== (config.WALLET_KEY === undefined)) {
    conflicts.push(['WALLET_CERT', 'WALLET_CERT and WALLET_KEY must be set together.']);
  }
  if (config.VECTOR_STORE === 'pgvector' && config.DATABASE_URL === undefined) {
    conflicts.push(['DATABASE_URL', 'VECTOR_STORE=pgvector needs DATABASE_URL.']);
  }
  const oidc = ['OIDC_ISSUER', 'OIDC_AUDIENCE', 'OIDC_JWKS_URL'] as const;
  const missing = oidc.find((name) => config[name] === undefined);
  if (missing && oidc.some((name) => config[name] !== undefined)) {
    conflicts.push([missing, 'OIDC_ISSUER, OIDC_AUDIENCE and OIDC_JWKS_URL must be set together.']);
  }
  const provider = ['CONSOLE_OIDC_ISSUER', 'CONSOLE_OIDC_CLIENT_ID', 'CONSOLE_OIDC_ROLES'] as const;
  const lacking = provider.find((name) => config[name] === undefined);
  if (lacking && provider.some((name) => config[name] !== undefined)) {
    conflicts.push([
      lacking,
      'CONSOLE_OIDC_ISSUER, CONSOLE_OIDC_CLIENT_ID and CONSOLE_OIDC_ROLES must be set together.',
    ]);
  }
  if (config.KEYHOLDER_URL !== undefined && config.KEYHOLDER_SECRET === undefined) {
    conflicts.push([
      'KEYHOLDER_SECRET',
      'KEYHOLDER_URL needs KEYHOLDER_SECRET, the one that the key-holder was started with.',
    ]);
  }
  const neighbour = (['PUBLIC_URL', 'LAUNCH_URL'] as const).find((name) =>
    isSameHost(config[name], config.CONSOLE_URL),
  );
  if (neighbour !== undefined) {
    conflicts.push([
      'CONSOLE_URL',
      `CONSOLE_URL has the host of ${neighbour}; the console needs one of its own, because cookies and passkeys are bound to it.`,
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

/** On this machine they may share a name. */
function isSameHost(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  const { hostname } = new URL(other);
  return hostname !== 'localhost' && new URL(one).hostname === hostname;
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
