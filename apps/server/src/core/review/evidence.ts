// How a session went, as far as a reviewer needs it: the steps that its device reported, and the attempts at its webhooks.
import type { LogEntry } from '@limen/plan';
import type { Database, Transaction } from '../../platform/database/database.ts';
import type { SessionId } from '../../platform/ids.ts';
import { DataKeyUnknown, type Sealer } from '../../platform/sealing/sealer.ts';
import type { ChannelState } from '../device-channel/channel-state.ts';
import { createChannelStore } from '../device-channel/store.ts';
import { createWebhookStore, type DeliveryRecord } from '../webhooks/store.ts';
import { createTries, type Try } from '../webhooks/tries.ts';

/** Events of a device's log that a person understands. */
export const SHOWN_EVENTS = ['started', 'finished', 'retried'] as const;

/** Without the keys of the devices. */
export interface DeviceCourse {
  openedAt: number | null;
  handoffs: number;
  log: readonly LogEntry[];
}

export interface DeliveryCourse extends Pick<DeliveryRecord, 'id' | 'target' | 'state' | 'created_at' | 'ended_at'> {
  /** Oldest first. */
  tries: readonly Try[];
}

export interface Evidence {
  /** Null if no device opened the session. */
  course: DeviceCourse | null;
  /** Oldest first. */
  deliveries: readonly DeliveryCourse[];
}

export interface TimelineEntry {
  what:
    | 'created'
    | 'opened'
    | 'started'
    | 'finished'
    | 'retried'
    | 'handed over'
    | 'ended'
    | 'webhook'
    | 'tried'
    | 'delivered'
    | 'dead';
  /** Milliseconds since 1970; null if only the device's clock knows it. */
  at: number | null;
  /** The step, the state, the target. */
  detail: string;
  /** HTTP status of an attempt at a webhook, or a code for why there is none. */
  outcome?: number | string;
}

export interface FlagExplanation {
  code: string;
  /** Where it comes from: what the browser says of itself, or how the session went. */
  signal: 'browser' | 'behavioral';
  /** What it adds to the score; null for a flag that this version does not know. */
  weight: number | null;
  /** The best recommendation beside it, if it limits that. */
  atBest: 'REVIEW' | 'BLOCK' | null;
  meaning: string;
  /** Empty when nobody is known to raise it innocently. */
  innocent: string;
}

export type ReadEvidence = (sessionId: SessionId, trx?: Transaction) => Promise<Evidence>;

export function createReadEvidence(database: Database, sealer: Sealer): ReadEvidence {
  const channels = createChannelStore(database, sealer);
  const webhooks = createWebhookStore(database);
  const tries = createTries(sealer);
  return async (sessionId, trx) => {
    const channel = await channels.find(sessionId, trx).catch(ignoreUnreadable);
    const deliveries = await webhooks.listOfSession(sessionId, trx);
    return {
      course: channel ? courseOf(channel.state) : null,
      deliveries: deliveries.map((record) => deliveryCourseOf(record, tries.read(record))),
    };
  };
}

export function courseOf({ openedAt, handoffMs, log }: ChannelState): DeviceCourse {
  const shown = log.filter(([event]) => SHOWN_EVENTS.some((name) => name === event));
  return { openedAt, handoffs: handoffMs.length, log: shown };
}

export function deliveryCourseOf(record: DeliveryRecord, tries: readonly Try[]): DeliveryCourse {
  const { id, target, state, created_at, ended_at } = record;
  return { id, target, state, created_at, ended_at, tries };
}

/** A row that was edited in the database must not stop the deletion of its session. */
function ignoreUnreadable(error: unknown): undefined {
  if (error instanceof DataKeyUnknown) throw error;
}
