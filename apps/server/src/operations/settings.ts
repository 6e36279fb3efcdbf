// Facts derived from the settings for the operator of the service.
import { AREAS, type Area, type Config, SETTINGS } from '../config.ts';
import { findConsoleAddress } from '../console/settings.ts';

/** Returns whether a proxy must end TLS for the service. */
export function needsProxy({ PUBLIC_URL = '', TLS_CERT }: Pick<Config, 'PUBLIC_URL' | 'TLS_CERT'>): boolean {
  return PUBLIC_URL.startsWith('https:') && TLS_CERT === undefined;
}

/** Lists the areas that this process serves to requests without an API key. */
export function listOpenAreas({ SERVE, REQUIRE_API_KEY }: Pick<Config, 'SERVE' | 'REQUIRE_API_KEY'>): Area[] {
  return SERVE.has('core') ? AREAS.filter((area) => !REQUIRE_API_KEY.has(area)) : [];
}

const SERVED_PARTS = ['core', 'node', 'launch', 'console'] as const;

export function frontDoorSettings(config: Config) {
  const servesConsole = findConsoleAddress(config) !== undefined;
  return {
    servesStrings: config.SERVE.has('core'),
    parts: SERVED_PARTS.filter((part) => config.SERVE.has(part) && (part !== 'console' || servesConsole)),
    openAreas: listOpenAreas(config),
    production: config.production,
  };
}

const RETENTION = {
  RETENTION_HOURS: 'hours',
  REVIEW_DAYS: 'days',
  DELIVERY_LOG_DAYS: 'days',
  AUDIT_DAYS: 'days',
} as const;

export function retentionSettings(config: Config) {
  return (Object.keys(RETENTION) as (keyof typeof RETENTION)[]).map((name) => ({
    name,
    value: config[name],
    unit: RETENTION[name],
    isDefault: String(config[name]) === SETTINGS[name].default,
    // Descriptions are Markdown.
    description: SETTINGS[name].description.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1').replaceAll('`', ''),
  }));
}

/** Prefers the settings to the listener, whose address may be known only once it listens. */
export function findAddresses(
  { PUBLIC_URL, LAUNCH_URL }: Pick<Config, 'PUBLIC_URL' | 'LAUNCH_URL'>,
  listener: { address(): string },
) {
  const publicUrl = () => PUBLIC_URL ?? listener.address();
  const named = LAUNCH_URL ?? PUBLIC_URL;
  return {
    publicUrl,
    /** Returns the address at which the person of this session starts. */
    launchUrl(sessionId: string): URL {
      const url = new URL(LAUNCH_URL ?? `${publicUrl()}/launch`);
      url.searchParams.set('sessionId', sessionId);
      return url;
    },
    /** Origin of the launch page, if the settings name it */
    pageOrigin: named === undefined ? undefined : new URL(named).origin,
  };
}
