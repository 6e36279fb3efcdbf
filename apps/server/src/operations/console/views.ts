// Views of the overview and of the system page. Types only, because the console's page imports them.
import type { Stage } from '../../sessions/host/count.ts';

/** Counts that are not zero, by name */
type NamedCounts = Readonly<Record<string, number>>;

export interface OverviewView {
  days: {
    /** Date in UTC, such as `2026-03-01` */
    day: string;
    recommendations: NamedCounts;
    states: NamedCounts;
    /** Attempts of this day, and as `dead` webhooks that were created on it */
    webhooks: NamedCounts;
  }[];
  stages: { stage: Stage; count: number }[];
  /** Completed sessions by the seconds that they took at most, null for longer */
  seconds: { upTo: number | null; count: number }[];
  completed: number;
  /** Sessions that reached a document */
  withDocument: number;
  /** Codes of failed sessions, most frequent first */
  errors: { code: string; meaning: string; count: number }[];
  /** Raised flags, most frequent first */
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

export interface JobsView {
  /** `due` jobs run now, `waiting` ones later. */
  counts: { kind: string; due: number; waiting: number; running: number; dead: number }[];
  dead: { id: string; kind: string; attempts: number; lastError: string | null; createdAt: number }[];
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
