// Facts derived from the settings for the person who runs the service.
import { AREAS, type Area, type Config, SETTINGS } from '../config.ts';
import { consoleAddressOf } from '../console/settings.ts';

/** Whether something in front of the service must end TLS for it. */
export function needsProxy({ PUBLIC_URL = '', TLS_CERT }: Pick<Config, 'PUBLIC_URL' | 'TLS_CERT'>): boolean {
  return PUBLIC_URL.startsWith('https:') && TLS_CERT === undefined;
}

/** Areas that this process serves to requests without an API key. */
export function listOpenAreas({ SERVE, REQUIRE_API_KEY }: Pick<Config, 'SERVE' | 'REQUIRE_API_KEY'>): Area[] {
  return SERVE.has('core') ? AREAS.filter((area) => !REQUIRE_API_KEY.has(area)) : [];
}

/** Parts that this version can serve, in the order in which the front door names them. */
const SERVED_PARTS = ['core', 'node', 'launch', 'console'] as const;

export function frontDoorSettings(config: Config) {
  const servesConsole = consoleAddressOf(config) !== undefined;
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

interface Addresses {
  publicUrl(): string;
  /** Returns the address at which the person of this session starts. */
  launchUrl(sessionId: string): URL;
  /** Origin of the launch page, if the settings name it */
  pageOrigin: string | undefined;
}

/** Returns the addresses of the settings, else those of the listener, which may be known only once it listens. */
export function findAddresses(
  { PUBLIC_URL, LAUNCH_URL }: Pick<Config, 'PUBLIC_URL' | 'LAUNCH_URL'>,
  listener: { address(): string },
): Addresses {
  const publicUrl = () => PUBLIC_URL ?? listener.address();
  const named = LAUNCH_URL ?? PUBLIC_URL;
  return {
    publicUrl,
    launchUrl(sessionId) {
      const url = new URL(LAUNCH_URL ?? `${publicUrl()}/launch`);
      url.searchParams.set('sessionId', sessionId);
      return url;
    },
    pageOrigin: named === undefined ? undefined : new URL(named).origin,
  };
}
