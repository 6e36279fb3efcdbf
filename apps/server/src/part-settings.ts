// What the settings say to each part, in the part's own words; the service and the command line open them alike.
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { AGE_BOUND, type AgeBound } from '@limen/plan';
import { AREAS, type Area, type Config, SETTINGS } from './config.ts';
import type { Amount } from './platform/capacity.ts';
import { isLoopback } from './platform/loopback.ts';

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
    trustProxy: config.TRUST_PROXY,
    rateLimit: config.RATE_LIMIT,
    metricsToken: config.METRICS_TOKEN,
  };
}

/** Whether something in front of the service must end TLS for it. */
export function needsProxy({ PUBLIC_URL = '', TLS_CERT }: Pick<Config, 'PUBLIC_URL' | 'TLS_CERT'>): boolean {
  return PUBLIC_URL.startsWith('https:') && TLS_CERT === undefined;
}

/** Areas that this process serves to requests without an API key. */
export function listOpenAreas({ SERVE, REQUIRE_API_KEY }: Pick<Config, 'SERVE' | 'REQUIRE_API_KEY'>): Area[] {
  return SERVE.has('core') ? AREAS.filter((area) => !REQUIRE_API_KEY.has(area)) : [];
}

/** In each world. */
export function stringsLimit(config: Config): Amount {
  return { rows: config.MAX_STRINGS, bytes: config.MAX_STRINGS_MB * 2 ** 20 };
}

/** Undefined where nothing is traced. */
export function tracingSettings(config: Config) {
  const endpoint = config.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === undefined) return undefined;
  return { endpoint, headers: config.OTEL_EXPORTER_OTLP_HEADERS ?? {}, share: config.OTEL_TRACES_SAMPLER_ARG };
}

/** Undefined where requests to wallets are not signed. */
export function walletCertificateSettings(config: Config) {
  const { WALLET_CERT: certFile, WALLET_KEY: keyFile, WALLET_CLIENT_ID: prefix, LAUNCH_URL, PUBLIC_URL } = config;
  if (certFile === undefined || keyFile === undefined) return undefined;
  const page = LAUNCH_URL ?? PUBLIC_URL;
  return { certFile, keyFile, prefix, host: page === undefined ? config.HOST : new URL(page).hostname };
}

/** Undefined where it is the one that every page has. */
export function ageBoundSettings(config: Config): AgeBound | undefined {
  const bound = { spread: config.AGE_BOUND_SPREAD, mirror: config.AGE_BOUND_MIRROR, years: config.AGE_BOUND_YEARS };
  return isDeepStrictEqual(bound, AGE_BOUND) ? undefined : bound;
}

/** As a process of its own, or as a thread of this one. */
export function keyHolderSettings(config: Config) {
  return {
    urls: config.KEYHOLDER_URL,
    secrets: config.KEYHOLDER_SECRET,
    dataDir: config.DATA_DIR,
    threadEntry: new URL('./keyholder/worker.ts', import.meta.url),
    matchThreshold: config.KEYHOLDER_MATCH_THRESHOLD,
    budgets: {
      sign_in: config.KEYHOLDER_ANSWERS_PER_HOUR,
      sign_in_address: config.KEYHOLDER_ANSWERS_PER_ADDRESS,
      sign_in_person: config.KEYHOLDER_ANSWERS_PER_PERSON,
      enrol: config.KEYHOLDER_ENROLMENTS_PER_HOUR,
      enrol_address: config.KEYHOLDER_ENROLMENTS_PER_ADDRESS,
    },
    auditDays: config.AUDIT_DAYS,
    modelManifest: config.MODEL_MANIFEST,
  };
}

export function modelsFolder({ MODELS_DIR, DATA_DIR }: Config): string {
  return MODELS_DIR ?? join(DATA_DIR, 'models');
}

export function signInSettings(config: Config) {
  return { ...keyHolderSettings(config), memoryMb: config.TOKEN_MEMORY_MB, maxPeople: config.MAX_PEOPLE };
}

export function peopleSettings(config: Config) {
  return {
    vectorStore: config.VECTOR_STORE,
    memoryBytes: config.FACE_MEMORY_MB === undefined ? undefined : config.FACE_MEMORY_MB * 2 ** 20,
    mayMiss: config.VECTOR_SEARCH === 'approximate',
    matchThreshold: config.NODE_MATCH_THRESHOLD,
    maxEmbeddings: config.NODE_MAX_EMBEDDINGS,
    url: config.DATABASE_URL,
    dataDir: config.DATA_DIR,
  };
}

export function nodeLimits(config: Config) {
  return {
    perKey: { perSecond: config.NODE_RATE_LIMIT, burst: config.NODE_RATE_BURST },
    strangers: { perSecond: config.NODE_STRANGER_RATE_LIMIT, burst: config.NODE_STRANGER_RATE_BURST },
  };
}

export function reviewSettings(config: Config) {
  return {
    dueHours: config.REVIEW_DUE_HOURS,
    reviewDays: config.REVIEW_DAYS,
    eyes: config.REVIEW_EYES as 1 | 2,
    retentionMs: retentionMs(config),
  };
}

/** How long an ended session is kept. */
export function retentionMs(config: Config): number {
  return config.RETENTION_HOURS * 60 * 60 * 1000;
}

const RETENTION = {
  RETENTION_HOURS: 'hours',
  REVIEW_DAYS: 'days',
  DELIVERY_LOG_DAYS: 'days',
  AUDIT_DAYS: 'days',
} as const;

/** How long things are kept, for who looks after it. */
export function retentionSettings(config: Config) {
  return (Object.keys(RETENTION) as (keyof typeof RETENTION)[]).map((name) => ({
    name,
    value: config[name],
    unit: RETENTION[name],
    isDefault: String(config[name]) === SETTINGS[name].default,
    description: withoutMarks(SETTINGS[name].description),
  }));
}

/** As plain text: descriptions are written for the documents. */
function withoutMarks(text: string): string {
  return text.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1').replaceAll('`', '');
}

export function webhookSettings(config: Config) {
  return {
    allowPrivate: config.WEBHOOK_ALLOW_PRIVATE,
    timeoutMs: config.WEBHOOK_TIMEOUT_MS,
    logDays: config.DELIVERY_LOG_DAYS,
    areHeld: config.WEBHOOKS === 'hold',
  };
}

/**
 * Where operators find the console; undefined where there is none: whoever can reach the service from elsewhere gets it only at
 * an address that was named for it. `door` knows the port where any free one was asked for.
 */
export function consoleAddressOf(config: Config, door?: { address(): string }): string | undefined {
  if (!config.SERVE.has('console')) return undefined;
  if (config.CONSOLE_URL !== undefined) return config.CONSOLE_URL;
  const publicHost = config.PUBLIC_URL === undefined ? 'localhost' : new URL(config.PUBLIC_URL).hostname;
  if (!isLoopback(config.HOST) || !isLoopback(publicHost) || config.TRUST_PROXY !== false) return undefined;
  const protocol = config.TLS_CERT === undefined ? 'http:' : 'https:';
  const port = door ? new URL(door.address()).port : String(config.PORT);
  return new URL(`${protocol}//localhost:${port}/console`).href;
}
