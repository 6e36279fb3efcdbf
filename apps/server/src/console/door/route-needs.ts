// Every call of the console and what it needs. Other routes do not compile, and the tests check
// every role against this table.
import type { Permission } from '../operators/permissions.ts';

/** `nobody`: open without sign-in. `somebody`: open to every signed-in operator. */
type Need = 'nobody' | 'somebody' | Permission;

export const ROUTE_NEEDS = {
  'POST /console/api/invite/question': 'nobody',
  'POST /console/api/invite': 'nobody',
  'GET /console/api/sign-in': 'nobody',
  'POST /console/api/sign-in/provider': 'nobody',
  'POST /console/api/sign-in/question': 'nobody',
  'POST /console/api/sign-in': 'nobody',
  'GET /console/api/me': 'somebody',
  'POST /console/api/sign-out': 'somebody',
  'POST /console/api/my-sessions/:id/end': 'somebody',
  'GET /console/api/my-passkeys': 'somebody',
  'POST /console/api/my-passkeys/:id/remove': 'somebody',
  'POST /console/api/question': 'somebody',
  'GET /console/api/sessions/choices': 'sessions.read',
  'POST /console/api/sessions/search': 'sessions.read',
  'GET /console/api/sessions/:id': 'sessions.read',
  'POST /console/api/sessions/:id/reveal': 'sessions.reveal.test',
  'POST /console/api/sessions/:id/redact': 'sessions.redact',
  'GET /console/api/overview': 'overview.read',
  'POST /console/api/review/search': 'review.read',
  'GET /console/api/review/reviewers': 'review.decide',
  'GET /console/api/review/:id': 'review.read',
  'POST /console/api/review/:id/assign': 'review.decide',
  'POST /console/api/review/:id/comment': 'review.decide',
  'POST /console/api/review/:id/decide': 'review.decide',
  'POST /console/api/review/:id/reveal': 'review.decide',
  'POST /console/api/review/:id/transaction': 'review.decide',
  'POST /console/api/webhooks/search': 'deliveries.read',
  'POST /console/api/webhooks/resend': 'deliveries.resend',
  'GET /console/api/keys': 'keys.read',
  'POST /console/api/keys': 'keys.write.test',
  'POST /console/api/keys/:id/label': 'keys.write.test',
  'POST /console/api/keys/:id/revoke': 'keys.write.test',
  'POST /console/api/keys/:id/origins': 'keys.write.test',
  'GET /console/api/audit': 'audit.read',
  'GET /console/api/audit/who': 'audit.read',
  'GET /console/api/audit/export': 'audit.read',

  'GET /console/api/screening': 'screening.read',
  'POST /console/api/screening/search': 'screening.search',
  'POST /console/api/screening/file': 'screening.search',
  'POST /console/api/subjects/search': 'screening.read',
  'POST /console/api/subjects/search/reveal': 'subjects.reveal.test',
  'GET /console/api/subjects/:id': 'screening.read',
  'POST /console/api/subjects/:id/reveal': 'subjects.reveal.test',
  'POST /console/api/subjects/:id/history': 'screening.read',
  'POST /console/api/subjects/:id/history/reveal': 'subjects.reveal.test',
  'POST /console/api/subjects/:id/hits/:hitId/decide': 'subjects.decide',
  'POST /console/api/subjects/:id/hits/:hitId/withdraw': 'subjects.decide',
  'POST /console/api/alerts/search': 'screening.read',
  'POST /console/api/alerts/search/reveal': 'subjects.reveal.test',
  'POST /console/api/cleared/search': 'screening.read',
  'POST /console/api/cleared/search/reveal': 'subjects.reveal.test',

  'GET /console/api/operators': 'operators.manage',
  'POST /console/api/operators/invite': 'operators.manage',
  'POST /console/api/operators/:id/sign-out': 'operators.manage',
  'POST /console/api/operators/:id/remove': 'operators.manage',
  'POST /console/api/operators/:id/passkeys/:passkeyId/remove': 'operators.manage',

  'GET /console/api/system': 'system.read',
  'GET /console/api/system/jobs': 'system.read',
  'POST /console/api/system/jobs/:id/retry': 'jobs.retry',
  'GET /console/api/system/trust': 'system.read',

  'GET /console/api/retention': 'people.read',
  'POST /console/api/people/find': 'people.read',
  'POST /console/api/people/export': 'people.export',
  'POST /console/api/people/delete': 'people.delete',
} as const satisfies Record<`${'GET' | 'POST'} /console/api/${string}`, Need>;

export type RouteName = keyof typeof ROUTE_NEEDS;
