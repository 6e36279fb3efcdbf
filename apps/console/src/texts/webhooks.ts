import { WEBHOOK_RETRY_HOURS } from '@limen/contract/limits';
import type { WebhookCountsView } from '@limen/server/console/sessions';

const upTo = (count: number, bound: number) =>
  count > bound ? `more than ${bound.toLocaleString('en')}` : count.toLocaleString('en');
const webhooks = (count: number) => (count === 1 ? '1 webhook' : `${count.toLocaleString('en')} webhooks`);

export const WEBHOOK_TEXTS = {
  heading: 'Webhooks',
  lead: `Webhooks that did not arrive. The service retries them for about ${WEBHOOK_RETRY_HOURS} hours, then abandons them.`,
  counts: ({ dead, retrying, waiting, upTo: bound }: WebhookCountsView) =>
    `${upTo(dead, bound)} abandoned, ${upTo(retrying, bound)} being retried, ${upTo(waiting, bound)} not attempted yet.`,
  filters: { stage: 'State', since: 'Created', world: 'World', key: 'Key' },
  failing: 'Failing',
  stages: { retrying: 'Being retried', dead: 'Abandoned', waiting: 'Not attempted yet', delivered: 'Delivered' },
  badges: { retrying: 'retrying', dead: 'abandoned', waiting: 'waiting', delivered: 'delivered' },
  anyTime: 'Any time',
  since: {
    '1h': 'Last hour',
    '24h': 'Last 24 hours',
    '7d': 'Last 7 days (UTC)',
    '30d': 'Last 30 days (UTC)',
    '90d': 'Last 90 days (UTC)',
    '365d': 'Last year (UTC)',
  },
  empty: 'Every webhook has arrived or is waiting for its first attempt.',
  emptyFiltered: 'No webhook matches.',
  columns: {
    select: 'Select',
    created: 'Created',
    stage: 'State',
    target: 'Receiver',
    reason: 'Last attempt',
    next: 'Next attempt',
    key: 'Key',
    about: 'About',
  },
  status: (code: number) => `HTTP ${code}`,
  errors: {
    body_removed: 'not sent: its body was deleted first',
    no_signing_key: 'not sent: its signing key cannot be decrypted',
    unreadable: 'not sent: it was edited in the database',
  } as Readonly<Record<string, string>>,
  attempts: (count: number) => (count === 1 ? '1 attempt' : `${count} attempts`),
  untried: 'none yet',
  bodyGone: 'The body of this webhook has been deleted, so it cannot be sent again.',
  noBody: 'body deleted',
  about: { session: 'Session', case: 'Case', subject: 'Watched subject' },
  aboutGone: 'deleted',
  selectOne: (when: string, target: string) => `Select the webhook to ${target}, ${when}`,
  selectAll: 'Select all that can be sent again',
  resendSelected: (count: number) => (count === 0 ? 'Send selected again' : `Send ${webhooks(count)} again`),
  resendAll: 'Send all that match again…',
  resendAllHeading: 'Send all that match again?',
  resendAllText: (limit: number) =>
    `Every listed webhook that still has its body is sent again now, at most ${limit.toLocaleString('en')}. Receivers recognize repeated webhooks by their webhook-id. Each is audited under your name.`,
  start: 'Send again',
  stop: 'Stop',
  progress: (done: number) => `${webhooks(done)} sent again so far.`,
  result: ({ resent, gone, isCut }: { resent: number; gone: number; isCut: boolean }) =>
    [
      resent === 0 ? 'Nothing was sent again.' : `${webhooks(resent)} ${resent === 1 ? 'is' : 'are'} sent again.`,
      gone > 0 && `${webhooks(gone)} no longer had a body.`,
      isCut && 'More are left: send again to continue.',
    ]
      .filter(Boolean)
      .join(' '),
} as const;
