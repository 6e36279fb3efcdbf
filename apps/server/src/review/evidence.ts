// How a session went, as far as a reviewer needs it: the steps that its device reported, and the attempts at its webhooks.
import type { LogEntry } from '@limen/plan';
import type { DeliveryRecord } from '../webhooks/store.ts';
import type { Try } from '../webhooks/tries.ts';

/** Without the keys of the devices. */
export interface DeviceCourse {
  openedAt: number;
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
  /** Source of the flag: the browser's own data, or the course of the session. */
  signal: 'browser' | 'behavioral';
  /** Points that the flag adds to the score; null for a flag that this version does not know. */
  weight: number | null;
  /** The best recommendation that the flag allows, if it sets a limit. */
  atBest: 'REVIEW' | 'BLOCK' | null;
  meaning: string;
  /** Innocent reasons for the flag; empty if none is known. */
  innocent: string;
}
