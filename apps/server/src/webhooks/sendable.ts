// What it takes to send a webhook: its body, and the key that signs it; or why they are no longer available.
import type { Logger } from 'pino';
import { type ApiKeys, KeyUnreadable } from '../platform/api-keys/api-keys.ts';
import { ownerFrom } from '../platform/api-keys/owner.ts';
import type { Clock } from '../platform/base/clock.ts';
import { describeForLog } from '../platform/base/errors.ts';
import { DataKeyUnknown, type Sealer } from '../platform/sealing/sealer.ts';
import type { WebhookMessage } from './send.ts';
import { BODY_REMOVED, type DeliveryRow } from './store.ts';
import { tables } from './tables.ts';

export interface Sendable {
  apiKey: string;
  message: WebhookMessage;
}

/** No later attempt would change it. */
export interface Impossible {
  kind: 'impossible';
  error: string;
}

interface ReadSendableOptions {
  sealer: Sealer;
  apiKeys: ApiKeys;
  clock: Clock;
  log: Logger;
}

export function createReadSendable({ sealer, apiKeys, clock, log }: ReadSendableOptions) {
  /** Fails when the database does, which says nothing about the webhook. */
  return async (row: DeliveryRow): Promise<Sendable | Impossible> => {
    const isOver = row.purge_at <= clock.now() && !clock.isWrong?.();
    if (row.sealed === null || isOver) return { kind: 'impossible', error: BODY_REMOVED };
    const apiKey = await revealKey(row);
    if (apiKey === undefined) return { kind: 'impossible', error: 'no_signing_key' };
    const message = openMessage(row, row.sealed);
    if (message === undefined) return { kind: 'impossible', error: 'unreadable' };
    return { apiKey, message };
  };

  async function revealKey(row: DeliveryRow): Promise<string | undefined> {
    try {
      return await apiKeys.reveal(row.api_key_id, ownerFrom(row));
    } catch (error) {
      if (!(error instanceof KeyUnreadable)) throw error;
      log.error({ ...describeForLog(error), delivery: row.id }, 'the key that signs a webhook does not open');
      return undefined;
    }
  }

  function openMessage(row: DeliveryRow, sealed: Uint8Array): WebhookMessage | undefined {
    try {
      return sealer.openJson(sealed, tables.webhook_deliveries.places.sealed(row)) as WebhookMessage;
    } catch (error) {
      if (error instanceof DataKeyUnknown) throw error; // this process has to learn the key first; there is a next attempt
      log.error({ ...describeForLog(error), delivery: row.id }, 'a sealed webhook does not open');
      return undefined;
    }
  }
}

export type Bound = Pick<DeliveryRow, 'id' | 'customer' | 'world' | 'api_key_id' | 'session_id'>;
