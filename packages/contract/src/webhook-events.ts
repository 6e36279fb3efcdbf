// Which webhooks there are: the event that each one tells, and its body. Whatever sends, describes or receives them goes by
// this table, so that a new event is one entry.
import type { Static, TSchema } from 'typebox';
import { AgeSessionResult } from './age-sessions.ts';
import { ReviewDecidedEvent } from './review.ts';
import { VerificationFailure, VerificationWebhook } from './verification-sessions.ts';
import { ChangedHitEvent, NewHitEvent, RemovedHitEvent } from './watched-subjects.ts';

interface EventEntry {
  /** A sentence. */
  when: string;
  /** The forms that its body may have. */
  bodies: readonly (TSchema & { $id?: string })[];
}

/**
 * The bodies of sessions are as the specification has them and do not name their event. Any other body says it in a member
 * `event`, which is how the SDK tells them apart.
 */
export const WEBHOOK_EVENTS = {
  'age_session.ended': { when: 'An age session has ended.', bodies: [AgeSessionResult] },
  'verification_session.ended': {
    when: 'A verification session has ended.',
    bodies: [VerificationWebhook, VerificationFailure],
  },
  'review.decided': {
    when: 'A session whose recommendation was `REVIEW` has been decided in the console.',
    bodies: [ReviewDecidedEvent],
  },
  'screening.hit.new': { when: 'A watched subject may be a listed entity.', bodies: [NewHitEvent] },
  'screening.hit.changed': {
    when: 'What a list says about a hit has changed, or how strong the match is.',
    bodies: [ChangedHitEvent],
  },
  'screening.hit.removed': { when: 'A hit is no longer listed or no longer matches.', bodies: [RemovedHitEvent] },
} as const satisfies Readonly<Record<string, EventEntry>>;

export type WebhookEvent = keyof typeof WEBHOOK_EVENTS;

export type WebhookBodies = { [Event in WebhookEvent]: Static<(typeof WEBHOOK_EVENTS)[Event]['bodies'][number]> };

/** The table for whoever describes it, with the names of the schemas. */
export function listWebhookEvents(): { event: string; when: string; bodies: string[] }[] {
  const entries = Object.entries<EventEntry>(WEBHOOK_EVENTS);
  return entries.map(([event, { when, bodies }]) => ({ event, when, bodies: bodies.flatMap(({ $id }) => $id ?? []) }));
}
