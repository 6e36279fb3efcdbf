// Payload of a delivery and the log of its tries, sealed together with the row that they belong to.
import type { Logger } from 'pino';
import { type ApiKeys, KeyUnreadable } from '../platform/api-keys/api-keys.ts';
import { ownerFrom } from '../platform/api-keys/owner.ts';
import type { Clock } from '../platform/base/clock.ts';
import { describeForLog } from '../platform/base/errors.ts';
import { DataKeyUnknown, type Sealer } from '../platform/sealing/sealer.ts';
import { MAX_KEPT_TRIES } from './limits.ts';
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

type Bound = Pick<DeliveryRow, 'id' | 'customer' | 'world' | 'api_key_id' | 'session_id'>;

export interface Try {
  /** Milliseconds since 1970. */
  at: number;
  /** The HTTP status, or a code for why there is none. Never a text of the receiver's. */
  outcome: number | string;
}

export type TriedRow = Bound & Pick<DeliveryRow, 'tries'>;

export function createTries(sealer: Pick<Sealer, 'sealJson' | 'openJson'>) {
  const read = (row: TriedRow): Try[] => {
    if (row.tries === null) return [];
    try {
      return sealer.openJson(row.tries, tables.webhook_deliveries.places.tries(row)) as Try[];
    } catch {
      // Edited in the database: nothing can be said of them.
      return [];
    }
  };
  return {
    /** Oldest first. */
    read,
    /** Returns the sealed latest tries, including a new one. */
    add: (row: TriedRow, last: Try) =>
      sealer.sealJson([...read(row), last].slice(-MAX_KEPT_TRIES), tables.webhook_deliveries.places.tries(row)),
  };
}
