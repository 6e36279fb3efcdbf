// Settings that the platform reads. The platform does not know the table of all settings.
import type { DevelopmentKeySettings } from '../api-keys/development-key.ts';
import type { RateLimits } from '../http/limits/token-buckets.ts';
import type { KeyringOptions } from '../sealing/keyring.ts';

interface StorageSettings {
  DATABASE_URL: string | undefined;
  DATA_DIR: string;
  MASTER_KEY: KeyringOptions['masterKey'];
  DISK_RESERVE_MB: number;
}

interface HttpSettings {
  TLS_CERT: string | undefined;
  TLS_KEY: string | undefined;
  HOST: string;
  PORT: number;
  TRUST_PROXY: boolean | string[];
  RATE_LIMIT: RateLimits | undefined;
  METRICS_TOKEN: string | undefined;
  DATA_DIR: string;
  production: boolean;
}

interface ContextSettings extends StorageSettings {
  DATABASE_WAIT_SECONDS: number;
  production: boolean;
  OTEL_EXPORTER_OTLP_ENDPOINT: string | undefined;
  OTEL_EXPORTER_OTLP_HEADERS: Record<string, string> | undefined;
  OTEL_TRACES_SAMPLER_ARG: number;
}

interface DevelopmentSettings {
  production: boolean;
  DEV_API_KEY: string | undefined;
  DATABASE_URL: string | undefined;
}

export function storageSettings(config: StorageSettings) {
  return {
    url: config.DATABASE_URL,
    dataDir: config.DATA_DIR,
    masterKey: config.MASTER_KEY,
    reserveBytes: config.DISK_RESERVE_MB * 2 ** 20,
  };
}

export function httpSettings(config: HttpSettings) {
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

export function contextSettings(config: ContextSettings) {
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

export function developmentKeySettings(config: DevelopmentSettings): DevelopmentKeySettings {
  return { production: config.production, named: config.DEV_API_KEY, isShared: config.DATABASE_URL !== undefined };
}
