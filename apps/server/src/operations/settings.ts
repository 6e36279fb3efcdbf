// What the settings say to whoever runs the service.
import { AREAS, type Area, type Config, SETTINGS } from '../config.ts';

/** Whether something in front of the service must end TLS for it. */
export function needsProxy({ PUBLIC_URL = '', TLS_CERT }: Pick<Config, 'PUBLIC_URL' | 'TLS_CERT'>): boolean {
  return PUBLIC_URL.startsWith('https:') && TLS_CERT === undefined;
}

/** Areas that this process serves to requests without an API key. */
export function listOpenAreas({ SERVE, REQUIRE_API_KEY }: Pick<Config, 'SERVE' | 'REQUIRE_API_KEY'>): Area[] {
  return SERVE.has('core') ? AREAS.filter((area) => !REQUIRE_API_KEY.has(area)) : [];
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
