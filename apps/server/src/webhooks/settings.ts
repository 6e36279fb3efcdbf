// Settings of webhooks.
import type { Config } from '../config.ts';

export function webhookSettings(config: Config) {
  return {
    allowPrivate: config.WEBHOOK_ALLOW_PRIVATE,
    timeoutMs: config.WEBHOOK_TIMEOUT_MS,
    logDays: config.DELIVERY_LOG_DAYS,
    areHeld: config.WEBHOOKS === 'hold',
  };
}
