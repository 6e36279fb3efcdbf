// Table of webhook events and their bodies. Sender, reference and receivers all read it, so a new
// event is one entry.
import type { Static, TSchema } from 'typebox';
import { AgeSessionResult } from './age-sessions.ts';
import { ReviewDecidedEvent } from './review.ts';
import { VerificationFailure, VerificationWebhook } from './verification-sessions.ts';
import { ChangedHitEvent, NewHitEvent, RemovedHitEvent } from './watched-subjects.ts';

interface EventEntry {
  /** A complete sentence. */
  when: string;
  /** Possible schemas of the body. */
  bodies: readonly (TSchema & { $id?: string; examples?: unknown[] })[];
}

/**
 * Session bodies follow the specification and do not name their event. All other bodies have a
 * member `event`, by which the SDK distinguishes them.
 */
export const WEBHOOK_EVENTS = {
  'age_session.ended': { when: 'An age session ended.', bodies: [AgeSessionResult] },
  'verification_session.ended': {
    when: 'A verification session ended.',
    bodies: [VerificationWebhook, VerificationFailure],
  },
  'review.decided': {
    when: 'A reviewer decided a session whose recommendation was `REVIEW`.',
    bodies: [ReviewDecidedEvent],
  },
  'screening.hit.new': { when: 'A watched subject may be a listed entity.', bodies: [NewHitEvent] },
  'screening.hit.changed': {
    when: 'The list entry of a hit or the strength of the match changed.',
    bodies: [ChangedHitEvent],
  },
  'screening.hit.removed': { when: 'A hit is no longer listed or no longer matches.', bodies: [RemovedHitEvent] },
} as const satisfies Readonly<Record<string, EventEntry>>;

export type WebhookEvent = keyof typeof WEBHOOK_EVENTS;

export type WebhookBodies = { [Event in WebhookEvent]: Static<(typeof WEBHOOK_EVENTS)[Event]['bodies'][number]> };

/** Returns the table for documentation, with the names of the schemas. */
export function listWebhookEvents(): { event: string; when: string; bodies: string[] }[] {
  const entries = Object.entries<EventEntry>(WEBHOOK_EVENTS);
  return entries.map(([event, { when, bodies }]) => ({ event, when, bodies: bodies.flatMap(({ $id }) => $id ?? []) }));
}

/** Returns the schema of each body with its sample. */
export function listWebhookBodies(): { event: string; name: string; schema: TSchema; sample: unknown }[] {
  return Object.entries<EventEntry>(WEBHOOK_EVENTS).flatMap(([event, { bodies }]) =>
    bodies.map((schema) => ({ event, name: schema.$id ?? '', schema, sample: schema.examples?.[0] })),
  );
}
