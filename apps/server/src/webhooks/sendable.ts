// The sealed payload of a delivery and the sealed log of its attempts, each bound to its row.
import { UnreadableKeyError } from '../platform/api-keys/api-keys.ts';
import { ownerFrom } from '../platform/api-keys/owner.ts';
import { describeForLog } from '../platform/base/errors.ts';
import type { Context } from '../platform/context.ts';
import { type Sealer, UnknownDataKeyError } from '../platform/sealing/sealer.ts';
import { MAX_KEPT_TRIES } from './limits.ts';
import type { WebhookMessage } from './send.ts';
import { BODY_REMOVED, type DeliveryRow } from './store.ts';
import { tables } from './tables.ts';

export interface SendableWebhook {
  apiKey: string;
  message: WebhookMessage;
}

export interface UnsendableReason {
  kind: 'impossible';
  error: string;
}

export async function readSendable(
  { sealer, apiKeys, clock, log }: Pick<Context, 'sealer' | 'apiKeys' | 'clock' | 'log'>,
  row: DeliveryRow,
): Promise<SendableWebhook | UnsendableReason> {
  const isOver = row.purge_at <= clock.now() && !clock.isWrong?.();
  if (row.sealed === null || isOver) return { kind: 'impossible', error: BODY_REMOVED };
  const logError = (error: unknown, sentence: string) =>
    log.error({ ...describeForLog(error), delivery: row.id }, sentence);
  const apiKey = await apiKeys.reveal(row.api_key_id, ownerFrom(row)).catch((error: unknown) => {
    if (!(error instanceof UnreadableKeyError)) throw error;
    logError(error, 'the key that signs a webhook does not open');
  });
  if (apiKey === undefined) return { kind: 'impossible', error: 'no_signing_key' };
  try {
    const message = sealer.openJson(row.sealed, tables.webhook_deliveries.places.sealed(row)) as WebhookMessage;
    return { apiKey, message };
  } catch (error) {
    if (error instanceof UnknownDataKeyError) throw error; // retried after this process has learned the key
    logError(error, 'a sealed webhook does not open');
    return { kind: 'impossible', error: 'unreadable' };
  }
}

export interface DeliveryTry {
  at: number;
  /** HTTP status, or a code for why there is none. Never text from the receiver. */
  outcome: number | string;
}

export type DeliveryTryRow = Pick<DeliveryRow, 'id' | 'customer' | 'world' | 'api_key_id' | 'session_id' | 'tries'>;

/** Returns attempts, oldest first; none if the row was edited in the database. */
export function readTries(sealer: Pick<Sealer, 'openJson'>, row: DeliveryTryRow): DeliveryTry[] {
  if (row.tries === null) return [];
  try {
    return sealer.openJson(row.tries, tables.webhook_deliveries.places.tries(row)) as DeliveryTry[];
  } catch {
    return [];
  }
}

export function addTry(sealer: Pick<Sealer, 'sealJson' | 'openJson'>, row: DeliveryTryRow, last: DeliveryTry): Buffer {
  const latest = [...readTries(sealer, row), last].slice(-MAX_KEPT_TRIES);
  return sealer.sealJson(latest, tables.webhook_deliveries.places.tries(row));
}
