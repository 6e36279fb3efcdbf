// Reads the course of a session from its device channel and its webhooks.
import type { SessionId } from '../../platform/base/ids.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { type Sealer, UnknownDataKeyError } from '../../platform/sealing/sealer.ts';
import type { CaseEvidence, DeliveryCourse, DeviceCourse } from '../../review/case.ts';
import { type DeliveryTry, readTries } from '../../webhooks/sendable.ts';
import { createWebhookStore, type DeliveryRecord } from '../../webhooks/store.ts';
import type { ChannelState } from '../device/channel-state.ts';
import { createChannelStore } from '../device/store.ts';

/** Events of a device's log that reviewers see. */
export const SHOWN_EVENTS = ['started', 'finished', 'retried'] as const;

export function createReadEvidence(database: Database, sealer: Sealer) {
  const channels = createChannelStore(database, sealer);
  const webhooks = createWebhookStore(database);
  return async (sessionId: SessionId, trx?: Transaction): Promise<CaseEvidence> => {
    const channel = await channels.find(sessionId, trx).catch(ignoreUnreadable);
    const deliveries = await webhooks.listOfSession(sessionId, trx);
    return {
      course: channel ? describeDeviceCourse(channel.state) : null,
      deliveries: deliveries.map((record) => describeDeliveryCourse(record, readTries(sealer, record))),
    };
  };
}

export function describeDeviceCourse({ openedAt, handoffMs, log }: ChannelState): DeviceCourse {
  const shown = log.filter(([event]) => SHOWN_EVENTS.some((name) => name === event));
  return { openedAt, handoffs: handoffMs.length, log: shown };
}

export function describeDeliveryCourse(record: DeliveryRecord, tries: readonly DeliveryTry[]): DeliveryCourse {
  const { id, target, state, created_at, ended_at } = record;
  return { id, target, state, created_at, ended_at, tries };
}

/** A row that was edited in the database must not stop the deletion of its session. */
function ignoreUnreadable(error: unknown): undefined {
  if (error instanceof UnknownDataKeyError) throw error;
}
