import {
  DecidedHit,
  DecideHitRequest,
  ref,
  WATCHED_HITS_MAX,
  WatchedHits,
  WithdrawDecisionRequest,
} from '@limen/contract';
import { Type } from 'typebox';
import { nameOf, ownerOf } from '../../platform/api-keys/owner.ts';
import type { Context } from '../../platform/context.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { AddHostRoute } from '../../platform/http/route.ts';
import { moreOf, presentHit } from './present.ts';
import { IdPath, NOT_VALID, UNKNOWN_SUBJECT } from './route-texts.ts';
import { repliesAbout, type WatchedSubjects } from './subjects.ts';

const HitPath = Type.Object({
  id: Type.String({ description: 'The subject’s id.' }),
  hitId: Type.String({ description: 'The hit’s id.' }),
});

export function registerHitRoutes(
  add: AddHostRoute<'client'>,
  { idempotency }: Pick<Context, 'idempotency'>,
  watched: WatchedSubjects,
): void {
  add(
    'GET /v2/screening/subjects/:id/hits',
    {
      summary: 'List the hits of a subject',
      description: `The listed entities that it may be, as of the last screening. Where more than ${WATCHED_HITS_MAX} match, the best of them, and others that were among them.`,
      params: IdPath,
      reply: { 200: ref(WatchedHits) },
      errors: { 404: UNKNOWN_SUBJECT },
    },
    async ({ caller, params }) => {
      const subject = await watched.find(ownerOf(caller), params.id);
      return { hits: (await watched.hits(subject)).map(presentHit), ...moreOf(subject.row) };
    },
  );

  add(
    'POST /v2/screening/subjects/:id/hits/:hitId/decision',
    {
      summary: 'Decide on a hit',
      description:
        'Says whether the subject is the listed entity. The decision holds until the entry changes, or what is known of the subject, or the strength of the match; then it lapses, and the alert says so. A new decision replaces the last one; all are kept in the evidence.',
      params: HitPath,
      idempotent: true,
      body: DecideHitRequest,
      reply: { 200: ref(DecidedHit, 'It is decided.') },
      errors: {
        400: NOT_VALID,
        404: 'There is no such hit, or it belongs to another customer or world.',
        409: 'The listed entry has changed since.',
      },
    },
    async ({ caller, body, params, creation }) => {
      const { id, hitId } = params;
      const owner = ownerOf(caller);
      const { repeatable, warned } = creation;
      const decide = async (trx?: Transaction) => {
        const decided = await watched.decide(owner, id, hitId, body, undefined, trx);
        return { ...presentHit(decided), ...warned };
      };
      if (repeatable === undefined) return decide();
      const once = { operation: 'watched-subjects.decide', owner: nameOf(owner), ...repeatable };
      return idempotency.once(once, async (trx) => ({ reply: await decide(trx), resource: repliesAbout(id) }));
    },
  );

  add(
    'POST /v2/screening/subjects/:id/hits/:hitId/decision/withdraw',
    {
      summary: 'Withdraw a decision',
      description:
        'Takes the decision on a hit back: it is to be decided again. Who decided and who took it back, and why, stay in the evidence.',
      params: HitPath,
      idempotent: true,
      body: WithdrawDecisionRequest,
      reply: { 200: ref(DecidedHit, 'It is open again.') },
      errors: {
        400: NOT_VALID,
        404: 'There is no such hit, it belongs to another customer or world, or nothing is decided on it.',
      },
    },
    async ({ caller, body, params, creation }) => {
      const { id, hitId } = params;
      const owner = ownerOf(caller);
      const { repeatable, warned } = creation;
      const { reason, author } = body;
      const withdraw = async (trx?: Transaction) => {
        const withdrawn = await watched.withdraw(owner, id, hitId, { reason, author }, undefined, trx);
        return { ...presentHit(withdrawn), ...warned };
      };
      if (repeatable === undefined) return withdraw();
      const once = { operation: 'watched-subjects.withdraw', owner: nameOf(owner), ...repeatable };
      return idempotency.once(once, async (trx) => ({ reply: await withdraw(trx), resource: repliesAbout(id) }));
    },
  );
}
