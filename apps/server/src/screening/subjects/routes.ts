// HTTP of watched subjects: who is watched, what was found for them, what was decided, and the evidence.
import { Readable } from 'node:stream';
import {
  DecidedHit,
  DecideHitRequest,
  DeletionReceipt,
  ErrorReply,
  FindWatchedSubject,
  ListScreeningAlertsQuery,
  ListWatchedSubjectsQuery,
  ref,
  ScreeningAlertPage,
  SubjectEvidence,
  WATCH_PAGE_DEFAULT,
  WATCHED_HITS_MAX,
  WatchedHits,
  WatchedSubject,
  WatchedSubjectCount,
  WatchedSubjectPage,
  WatchSubjectRequest,
  WithdrawDecisionRequest,
} from '@limen/contract';
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { nameOf, ownerOf } from '../../platform/api-keys/owner.ts';
import { invalid } from '../../platform/base/errors.ts';
import { isUuid } from '../../platform/base/ids.ts';
import type { Context } from '../../platform/context.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { clientOf } from '../../platform/http/access.ts';
import { alsoAs } from '../../platform/http/body/media-types.ts';
import { prefersJwt } from '../../platform/http/body/negotiation.ts';
import { readCreation } from '../../platform/http/body/read-creation.ts';
import { orSigned, sendJwt, signedOnly } from '../../platform/http/body/signed-reply.ts';
import { sendStandalonePage } from '../../platform/http/pages/standalone.ts';
import { IDEMPOTENCY_HEADER } from '../../platform/idempotency/header.ts';
import type { SigningDoor } from '../../signing/open.ts';
import { spellSchema } from '../match/read-subject.ts';
import { collectEvidence, type EvidenceStream, gatherEvidence, writeEvidence } from './evidence/collect.ts';
import { evidencePage } from './evidence/page.ts';
import { registerImportRoute } from './import/routes.ts';
import { readContent } from './import/run.ts';
import { moreOf, presentAlert, presentHit, presentSubject, presentSubjects } from './present.ts';
import { type PutSubject, repliesAbout, type WatchedSubjects } from './subjects.ts';

const IdPath = Type.Object({ id: Type.String({ description: 'The subject’s id.' }) });
const HitPath = Type.Object({
  id: Type.String({ description: 'The subject’s id.' }),
  hitId: Type.String({ description: 'The hit’s id.' }),
});

interface WatchedSubjectNeighbors {
  watched: WatchedSubjects;
  /** Throws 404 for an unknown dataset. */
  requireDataset: (name: string) => Promise<void>;
}

export function registerWatchedSubjectRoutes(
  { idempotency, clock }: Pick<Context, 'idempotency' | 'clock'>,
  { http: app, access, signing }: SigningDoor,
  { watched, requireDataset }: WatchedSubjectNeighbors,
): void {
  const onRequest = access.requireClient;
  const common = { tags: ['Watched subjects'], security: [{ apiKey: [] }, { apiKey: [], client: [] }] };
  const unknownKey = ref(
    ErrorReply,
    'The API key is missing, unknown or inactive; or it has client credentials, and they are missing or wrong.',
  );
  const notValid = ref(ErrorReply, 'A field is missing, wrong or too long; the message names it.');
  const takesBody = {
    413: ref(ErrorReply, 'The body is too large.'),
    415: ref(ErrorReply, 'The body is not sent as application/json.'),
  };
  const usedKey = ref(ErrorReply, 'The Idempotency-Key was used with another body.');
  const unknownSubject = ref(ErrorReply, 'There is no such subject, or it belongs to another customer or world.');

  app.post(
    '/v2/screening/subjects',
    {
      onRequest,
      preValidation: async ({ body }) => spellSchema(body),
      schema: {
        ...common,
        summary: 'Watch a subject, or change it',
        description:
          'Adds the subject, or replaces what is known of the one with the same `reference`. It is screened at once, against everything; from then on whenever a list changes. Sending the same again changes nothing.',
        headers: Type.Object(IDEMPOTENCY_HEADER),
        body: WatchSubjectRequest,
        response: {
          200: ref(WatchedSubject, 'There was one with this reference.'),
          201: ref(WatchedSubject, 'It is watched.'),
          400: notValid,
          401: unknownKey,
          404: ref(ErrorReply, 'There is no such dataset; the message lists those there are.'),
          ...takesBody,
          422: usedKey,
          507: ref(ErrorReply, 'The customer has as many subjects as there may be (`MAX_SUBJECTS`).'),
        },
      },
    },
    async (request, reply) => {
      const key = clientOf(request);
      const owner = ownerOf(key);
      const { repeatable, warned } = readCreation(request, WatchSubjectRequest);
      const content = readContent(request.body);
      await requireDataset(content.dataset);
      const present = ({ watched: put, isNew }: PutSubject) => ({
        status: isNew ? (201 as const) : (200 as const),
        subject: presentSubject(put, warned.warnings),
      });
      const once = { operation: 'watched-subjects.put', owner: nameOf(owner) };
      await watched.prepare(owner);
      const { status, subject } =
        repeatable === undefined
          ? present(await watched.put(owner, key.id, content))
          : await idempotency.once({ ...once, ...repeatable }, async (trx) => {
              const first = present(await watched.put(owner, key.id, content, trx));
              return { reply: first, resource: repliesAbout(first.subject.id) };
            });
      return reply.code(status).send(subject);
    },
  );

  app.get(
    '/v2/screening/subjects',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'List watched subjects',
        description:
          'The customer’s subjects, newest first. To find one by your reference, `POST /v2/screening/subjects/find`: it is never part of an address.',
        querystring: ListWatchedSubjectsQuery,
        response: { 200: ref(WatchedSubjectPage, 'One page.'), 400: notValid, 401: unknownKey },
      },
    },
    async (request) => {
      const { limit = WATCH_PAGE_DEFAULT, cursor, ...filter } = request.query;
      const page = { limit: limit + 1, before: readCursor(cursor), ...filter };
      const found = await watched.list(ownerOf(clientOf(request)), page);
      const [subjects, nextCursor] = cutPage(await presentSubjects(found), limit);
      return { subjects, ...nextCursor };
    },
  );

  app.post(
    '/v2/screening/subjects/find',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'Find a subject by your reference',
        body: FindWatchedSubject,
        response: { 200: ref(WatchedSubject), 400: notValid, 401: unknownKey, 404: unknownSubject, ...takesBody },
      },
    },
    async (request) =>
      presentSubject(await watched.findByReference(ownerOf(clientOf(request)), request.body.reference)),
  );

  app.get(
    '/v2/screening/subjects/count',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'Count watched subjects',
        description:
          'How many there are, and how many of them are still to be screened, such as after an import or a new version of the engine.',
        response: { 200: ref(WatchedSubjectCount), 401: unknownKey },
      },
    },
    async (request) => watched.count(ownerOf(clientOf(request))),
  );

  registerImportRoute(app, { access, watched, requireDataset, idempotency });

  app.get(
    '/v2/screening/subjects/:id',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'Get a watched subject',
        params: IdPath,
        response: { 200: ref(WatchedSubject), 401: unknownKey, 404: unknownSubject },
      },
    },
    async (request) => presentSubject(await watched.find(ownerOf(clientOf(request)), request.params.id)),
  );

  app.delete(
    '/v2/screening/subjects/:id',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'Stop watching a subject',
        description:
          'Deletes the subject with its hits, alerts, decisions and webhooks. Export the evidence before. With `Accept: application/jwt` the answer is a signed receipt.',
        params: IdPath,
        response: {
          200: signedOnly(ref(DeletionReceipt), 'It is gone; the receipt that was asked for.'),
          204: Type.Null({ description: 'It is gone.' }),
          401: unknownKey,
          404: unknownSubject,
        },
      },
    },
    async (request, reply) => {
      const [owner, { id }] = [ownerOf(clientOf(request)), request.params];
      const receipt = await signing.deleteWithReceipt(
        request.headers.accept,
        { owner, kind: 'watched_subject', id },
        () => watched.remove(owner, id),
      );
      return receipt === undefined ? reply.code(204).send(null) : sendJwt(reply, receipt);
    },
  );

  app.get(
    '/v2/screening/subjects/:id/hits',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'List the hits of a subject',
        description: `The listed entities that it may be, as of the last screening. Where more than ${WATCHED_HITS_MAX} match, the best of them, and others that were among them.`,
        params: IdPath,
        response: { 200: ref(WatchedHits), 401: unknownKey, 404: unknownSubject },
      },
    },
    async (request) => {
      const subject = await watched.find(ownerOf(clientOf(request)), request.params.id);
      return { hits: (await watched.hits(subject)).map(presentHit), ...moreOf(subject.row) };
    },
  );

  app.post(
    '/v2/screening/subjects/:id/hits/:hitId/decision',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'Decide on a hit',
        description:
          'Says whether the subject is the listed entity. The decision holds until the entry changes, or what is known of the subject, or the strength of the match; then it lapses, and the alert says so. A new decision replaces the last one; all are kept in the evidence.',
        params: HitPath,
        headers: Type.Object(IDEMPOTENCY_HEADER),
        body: DecideHitRequest,
        response: {
          200: ref(DecidedHit, 'It is decided.'),
          400: notValid,
          401: unknownKey,
          404: ref(ErrorReply, 'There is no such hit, or it belongs to another customer or world.'),
          409: ref(ErrorReply, 'The listed entry has changed since.'),
          ...takesBody,
          422: usedKey,
        },
      },
    },
    async (request) => {
      const { id, hitId } = request.params;
      const owner = ownerOf(clientOf(request));
      const { repeatable, warned } = readCreation(request, DecideHitRequest, request.params);
      const decide = async (trx?: Transaction) => {
        const decided = await watched.decide(owner, id, hitId, request.body, undefined, trx);
        return { ...presentHit(decided), ...warned };
      };
      if (repeatable === undefined) return decide();
      const once = { operation: 'watched-subjects.decide', owner: nameOf(owner), ...repeatable };
      return idempotency.once(once, async (trx) => ({ reply: await decide(trx), resource: repliesAbout(id) }));
    },
  );

  app.post(
    '/v2/screening/subjects/:id/hits/:hitId/decision/withdraw',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'Withdraw a decision',
        description:
          'Takes the decision on a hit back: it is to be decided again. Who decided and who took it back, and why, stay in the evidence.',
        params: HitPath,
        headers: Type.Object(IDEMPOTENCY_HEADER),
        body: WithdrawDecisionRequest,
        response: {
          200: ref(DecidedHit, 'It is open again.'),
          400: notValid,
          401: unknownKey,
          404: ref(
            ErrorReply,
            'There is no such hit, it belongs to another customer or world, or nothing is decided on it.',
          ),
          ...takesBody,
          422: usedKey,
        },
      },
    },
    async (request) => {
      const { id, hitId } = request.params;
      const owner = ownerOf(clientOf(request));
      const { repeatable, warned } = readCreation(request, WithdrawDecisionRequest, request.params);
      const { reason, author } = request.body;
      const withdraw = async (trx?: Transaction) => {
        const withdrawn = await watched.withdraw(owner, id, hitId, { reason, author }, undefined, trx);
        return { ...presentHit(withdrawn), ...warned };
      };
      if (repeatable === undefined) return withdraw();
      const once = { operation: 'watched-subjects.withdraw', owner: nameOf(owner), ...repeatable };
      return idempotency.once(once, async (trx) => ({ reply: await withdraw(trx), resource: repliesAbout(id) }));
    },
  );

  app.get(
    '/v2/screening/subjects/:id/evidence',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'Export the evidence for a subject',
        description:
          'All that is known and was found, with every change and every decision: as JSON, or with `Accept: text/html` as a page to print, which needs nothing from elsewhere; without `subject.callback`, which may be secret. It is written as it is read, however long it is; if the connection breaks off, it is not whole. With `Accept: application/jwt` signed; see docs/signed-results.md.',
        params: IdPath,
        response: {
          200: alsoAs(orSigned(ref(SubjectEvidence)), 'text/html'),
          401: unknownKey,
          404: unknownSubject,
          413: ref(ErrorReply, 'The history is too long to be signed in one piece; it can be had as JSON.'),
        },
      },
    },
    async (request, reply) => {
      const subject = await watched.find(ownerOf(clientOf(request)), request.params.id);
      const evidence = await collectEvidence(watched, subject, clock.now());
      if (prefersJwt(request.headers.accept)) {
        const contents = await gatherEvidence(evidence);
        return sendJwt(reply, await signing.sign(ownerOf(clientOf(request)), 'limen-screening-evidence+jwt', contents));
      }
      const wantsPage = /\btext\/html\b/.test(request.headers.accept ?? '');
      if (wantsPage) return sendStandalonePage(reply, evidencePage(evidence));
      return sendEvidence(reply, evidence);
    },
  );

  app.get(
    '/v2/screening/alerts',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'List alerts',
        description: 'What changed for the customer’s subjects, newest first, whether or not a webhook told it.',
        querystring: ListScreeningAlertsQuery,
        response: { 200: ref(ScreeningAlertPage, 'One page.'), 400: notValid, 401: unknownKey },
      },
    },
    async (request) => {
      const { limit = WATCH_PAGE_DEFAULT, cursor, since, ...filter } = request.query;
      if (filter.subjectId !== undefined && !isUuid(filter.subjectId))
        throw invalid('query.subjectId', 'must be the id of a subject');
      const from = since === undefined ? {} : { since: readTime(since) };
      const page = { limit: limit + 1, before: readCursor(cursor), ...filter, ...from };
      const found = await watched.alerts(ownerOf(clientOf(request)), page);
      const [alerts, nextCursor] = cutPage(found.map(presentAlert), limit);
      return { alerts, ...nextCursor };
    },
  );
}

function sendEvidence(reply: FastifyReply, evidence: EvidenceStream): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(Readable.from(writeEvidence(evidence)));
}

function readCursor(cursor: string | undefined): string | undefined {
  if (cursor === undefined || isUuid(cursor)) return cursor;
  throw invalid('query.cursor', 'must be the nextCursor of an earlier page, unchanged');
}

function readTime(text: string): number {
  const moment = /^\d{4}-\d{2}-\d{2}(T|$)/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(moment)) return moment;
  throw invalid('query.since', 'must be a time, such as 2026-11-16T08:00:00Z');
}

/** One more than the page was asked for: it says whether there is another. */
function cutPage<Row extends { id: string }>(found: Row[], limit: number): [Row[], { nextCursor?: string }] {
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return [rows, found.length > limit && last ? { nextCursor: last.id } : {}];
}
