// The service itself: the doctor's findings, jobs, and the authorities that wallets are trusted for.

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
  /** The list that it came with; null where somebody added it by itself. */
  list: string | null;
}
