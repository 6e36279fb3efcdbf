// Views of the overview and of the service itself. Types only: the console's page imports them.
import type { Stage } from '../../sessions/host/count.ts';

export type { Stage };

/** Counted by name; what did not happen is not there. */
export type NamedCounts = Readonly<Record<string, number>>;

export interface DayView {
  /** `2026-03-01`, in UTC. */
  day: string;
  recommendations: NamedCounts;
  states: NamedCounts;
  /**
   * `delivered` and `failed` are attempts of this day. `dead` are webhooks that were created on this day and are given up
   * now: the rows that the room Webhooks lists.
   */
  webhooks: NamedCounts;
}

export interface OverviewView {
  /** Each day, oldest first, also those on which nothing happened. */
  days: DayView[];
  /** Of all these days. */
  stages: { stage: Stage; count: number }[];
  /** Of completed sessions, by how many seconds they took at most; null for longer. */
  seconds: { upTo: number | null; count: number }[];
  /** Sessions that were completed, and how many of them came to a document. */
  completed: number;
  withDocument: number;
  /** Why sessions did not come to a result: by the code that hosts are told, most often first. */
  errors: { code: string; meaning: string; count: number }[];
  /** Which flags were raised, most often first. */
  flags: { code: string; count: number }[];
}

export interface FindingView {
  check: string;
  level: 'ok' | 'warning' | 'failure';
  found: string;
  remedy: string | null;
}

export interface SystemView {
  version: string;
  startedAt: number;
  findings: FindingView[];
}

export interface JobCountView {
  kind: string;
  /** To be run now. */
  due: number;
  /** To be run later. */
  waiting: number;
  running: number;
  dead: number;
}

export interface DeadJobView {
  id: string;
  kind: string;
  attempts: number;
  lastError: string | null;
  createdAt: number;
}

export interface JobsView {
  counts: JobCountView[];
  /** The newest of them. */
  dead: DeadJobView[];
}

export interface AnchorView {
  profile: string;
  name: string;
  country: string | null;
  fingerprint: string;
  notAfter: number;
  state: 'valid' | 'not_yet_valid' | 'expires_soon' | 'expired';
  /** The list that holds the anchor; null if someone added the anchor alone. */
  list: string | null;
}
