// The texts of the overview.

export const OVERVIEW_TEXTS = {
  heading: 'Overview',
  lead: 'Sessions that have ended, counted by day (UTC). The numbers hold nothing about anybody and stay when the sessions are gone.',
  empty: 'Nothing has ended in this time.',
  filters: { days: 'Time', kind: 'Kind', world: 'World', key: 'Key' },
  days: { 7: 'Last 7 days', 30: 'Last 30 days', 90: 'Last 90 days', 365: 'Last year' },
  table: 'As a table',
  day: 'Day',
  count: 'Sessions',
  share: 'Share',
  outcomes: {
    heading: 'Outcomes',
    text: (completed: number) => (completed === 1 ? '1 session completed' : `${completed} sessions completed`),
    names: { ALLOW: 'allow', REVIEW: 'review', BLOCK: 'block' },
  },
  unfinished: {
    heading: 'How sessions ended',
    names: { completed: 'completed', cancelled: 'cancelled', expired: 'expired' },
  },
  funnel: {
    heading: 'How far people came',
    stage: 'Stage',
    names: {
      created: 'created',
      opened: 'opened',
      face: 'face',
      document: 'document',
      proof: 'wallet or age key',
      ended: 'completed',
    },
    document: (share: string) => `${share} of completed sessions came to a document.`,
  },
  seconds: {
    heading: 'Time to finish',
    text: 'From opening the page to the answer.',
    upTo: (seconds: number) => `up to ${seconds} s`,
    longer: 'longer',
    none: 'No session was timed: those of the test mode take none.',
  },
  errors: { heading: 'Refused or not finished, by reason', code: 'Code', none: 'No reasons.' },
  flags: { heading: 'Flags raised', code: 'Flag', none: 'No flags.' },
  webhooks: {
    heading: 'Webhooks',
    text: 'Attempts by day, and webhooks of that day that are given up now.',
    ofAllKinds: 'Both kinds of sessions together.',
    names: { delivered: 'delivered', failed: 'failed attempts', dead: 'given up' },
    open: 'List the webhooks that were given up',
  },
} as const;
