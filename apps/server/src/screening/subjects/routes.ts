// HTTP of watched subjects.
import {
  DeletionReceipt,
  FindWatchedSubject,
  ListWatchedSubjectsQuery,
  ref,
  WATCH_PAGE_DEFAULT,
  WatchedSubject,
  WatchedSubjectCount,
  WatchedSubjectPage,
  WatchSubjectRequest,
} from '@limen/contract';
import { Type } from 'typebox';
import { toOwner } from '../../platform/api-keys/owner.ts';
import type { Context } from '../../platform/context.ts';
import { sendJwt, signedOnly } from '../../platform/http/body/signed-reply.ts';
import { hostRoutes } from '../../platform/http/route.ts';
import { cutPage, readCursor } from '../../platform/page.ts';
import type { SigningDoor } from '../../signing/open.ts';
import { normalizeSchema } from '../match/read-subject.ts';
import { registerEvidenceRoute } from './evidence/route.ts';
import { registerAlertRoutes, registerHitRoutes } from './hit-routes.ts';
import { registerImportRoute } from './import/routes.ts';
import { readContent } from './import/run.ts';
import { presentSubject, presentSubjects } from './present.ts';
import { type AddRoute, IdPath, NOT_VALID, runOnce, TAG, UNKNOWN_SUBJECT } from './route-parts.ts';
import { repliesAbout, type WatchedSubjects } from './subjects.ts';

/** `requireDataset` throws 404 for an unknown dataset. */
export function registerWatchedSubjectRoutes(
  context: Context,
  door: SigningDoor,
  watched: WatchedSubjects,
  requireDataset: (name: string) => Promise<void>,
): void {
  const add = hostRoutes(door, TAG, 'client');
  registerPutRoute(add, context, watched, requireDataset);
  registerLookups(add, watched);
  registerImportRoute(door, context, watched, requireDataset);
  registerSubjectRoutes(add, door, watched);
  registerHitRoutes(add, context, watched);
  registerEvidenceRoute(add, context, door, watched);
  registerAlertRoutes(add, watched);
}

function registerPutRoute(
  add: AddRoute,
  { idempotency }: Context,
  watched: WatchedSubjects,
  requireDataset: (name: string) => Promise<void>,
): void {
  add(
    'POST /v2/screening/subjects',
    {
      summary: 'Watch a subject, or change it',
      description:
        'Adds the subject, or replaces what is known of the one with the same `reference`. It is screened at once, against everything; from then on whenever a list changes. Sending the same again changes nothing.',
      idempotent: true,
      body: WatchSubjectRequest,
      preValidation: async ({ body }) => normalizeSchema(body),
      reply: {
        200: ref(WatchedSubject, 'There was one with this reference.'),
        201: ref(WatchedSubject, 'It is watched.'),
      },
      errors: {
        400: NOT_VALID,
        404: 'There is no such dataset; the message lists those there are.',
        507: 'The customer has as many subjects as there may be (`MAX_SUBJECTS`).',
      },
    },
    async ({ caller, body, creation, reply }) => {
      const owner = toOwner(caller);
      const content = readContent(body);
      await requireDataset(content.dataset);
      await watched.puts.prepare(owner);
      const { status, subject } = await runOnce(idempotency, 'put', owner, creation, async (trx) => {
        const { watched: put, isNew } = await watched.puts.put(owner, caller.id, content, trx);
        const subject = presentSubject(put, creation.warned.warnings);
        return { reply: { status: isNew ? 201 : 200, subject }, resource: repliesAbout(subject.id) };
      });
      return reply.code(status).send(subject);
    },
  );
}

function registerLookups(add: AddRoute, watched: WatchedSubjects): void {
  add(
    'GET /v2/screening/subjects',
    {
      summary: 'List watched subjects',
      description:
        'The customer’s subjects, newest first. To find one by your reference, `POST /v2/screening/subjects/find`: it is never part of an address.',
      query: ListWatchedSubjectsQuery,
      reply: { 200: ref(WatchedSubjectPage, 'One page.') },
      errors: { 400: NOT_VALID },
    },
    async ({ caller, query }) => {
      const { limit = WATCH_PAGE_DEFAULT, cursor, ...filter } = query;
      const page = { limit: limit + 1, before: readCursor(cursor), ...filter };
      const found = await watched.list(toOwner(caller), page);
      const [subjects, nextCursor] = cutPage(await presentSubjects(found), limit);
      return { subjects, ...nextCursor };
    },
  );

  add(
    'POST /v2/screening/subjects/find',
    {
      summary: 'Find a subject by your reference',
      body: FindWatchedSubject,
      reply: { 200: ref(WatchedSubject) },
      errors: { 400: NOT_VALID, 404: UNKNOWN_SUBJECT },
    },
    async ({ caller, body }) => presentSubject(await watched.findByReference(toOwner(caller), body.reference)),
  );

  add(
    'GET /v2/screening/subjects/count',
    {
      summary: 'Count watched subjects',
      description:
        'How many there are, and how many of them are still to be screened, such as after an import or a new version of the engine.',
      reply: { 200: ref(WatchedSubjectCount) },
    },
    async ({ caller }) => watched.count(toOwner(caller)),
  );
}

function registerSubjectRoutes(add: AddRoute, { signing }: SigningDoor, watched: WatchedSubjects): void {
  add(
    'GET /v2/screening/subjects/:id',
    {
      summary: 'Get a watched subject',
      params: IdPath,
      reply: { 200: ref(WatchedSubject) },
      errors: { 404: UNKNOWN_SUBJECT },
    },
    async ({ caller, params }) => presentSubject(await watched.find(toOwner(caller), params.id)),
  );

  add(
    'DELETE /v2/screening/subjects/:id',
    {
      summary: 'Stop watching a subject',
      description:
        'Deletes the subject with its hits, alerts, decisions and webhooks. Export the evidence before. With `Accept: application/jwt` the answer is a signed receipt.',
      params: IdPath,
      reply: {
        200: signedOnly(ref(DeletionReceipt), 'It is gone; the receipt that was asked for.'),
        204: Type.Null({ description: 'It is gone.' }),
      },
      errors: { 404: UNKNOWN_SUBJECT },
    },
    async ({ caller, params, request, reply }) => {
      const [owner, { id }] = [toOwner(caller), params];
      const receipt = await signing.deleteWithReceipt(
        request.headers.accept,
        { owner, kind: 'watched_subject', id },
        () => watched.remove(owner, id),
      );
      return receipt === undefined ? reply.code(204).send(null) : sendJwt(reply, receipt);
    },
  );
}
