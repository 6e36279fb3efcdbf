// Deletes the sessions of a person, with their channels, webhooks, stored replies and cases.
import type { ForgetPerson } from '../../faces/galleries/open.ts';
import type { Core } from '../../platform/core.ts';
import { createReviewStore } from '../../review/store.ts';
import { createWebhookStore } from '../../webhooks/store.ts';
import { createChannelStore } from '../device/store.ts';
import { forgetRedacted } from '../lifecycle/forget.ts';
import { createSessionStore } from '../lifecycle/store.ts';

export function forgetSessionsOfPerson({
  database,
  sealer,
  idempotency,
}: Pick<Core, 'database' | 'sealer' | 'idempotency'>): ForgetPerson {
  const sessions = createSessionStore(database);
  const cases = createReviewStore(database);
  const webhooks = createWebhookStore(database);
  const parts = { deviceChannels: createChannelStore(database, sealer), webhooks, idempotency, cases };
  return async (trx, personId) => {
    for (const sessionId of await sessions.deleteOfPerson(trx, personId)) await forgetRedacted(trx, sessionId, parts);
    // Some cases outlive their sessions.
    for (const sessionId of await cases.deleteOfPerson(trx, personId)) await forgetRedacted(trx, sessionId, parts);
  };
}
