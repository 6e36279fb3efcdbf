// HTTP of screening single subjects and small batches.
import {
  ErrorReply,
  MATCHES_PER_ROW_MAX,
  MatchReply,
  MatchRequest,
  ref,
  SCORE_THRESHOLD_DEFAULT,
} from '@limen/contract';
import type { Logger } from 'pino';
import type { Access } from '../../platform/http/access.ts';
import { accountOf } from '../../platform/http/limits/client-account.ts';
import type { HttpServer } from '../../platform/http/types.ts';
import { explainFailure, LaneClosed } from '../engine/pool.ts';
import { batchBodyLimit, REPLY_WITHIN_MS } from '../limits.ts';
import { warnOfUnknownFields, warnOfUnknownRequest } from './known-fields.ts';
import type { Matcher } from './matcher.ts';
import { readSubject, spellSchemas } from './read-subject.ts';
import { writeResult } from './write-result.ts';

interface MatchRoutes {
  matcher: Matcher;
  access: Access;
  log: Pick<Logger, 'error'>;
  /** Whether an API key is asked for. */
  closed: boolean;
}

export function registerMatchRoutes(app: HttpServer, { matcher, access, log, closed }: MatchRoutes): void {
  app.post(
    '/v2/screening/match',
    {
      onRequest: closed ? access.requireApiKey : access.recognizeApiKey,
      bodyLimit: batchBodyLimit(closed),
      preValidation: async ({ body }) => spellSchemas(body),
      schema: {
        tags: ['Sanctions check'],
        ...(closed ? { security: [{ apiKey: [] }] } : {}),
        summary: 'Screen people, organisations and vessels',
        description:
          'One to a hundred subjects, each with what is known of it. Nothing is kept. The score of a name and date of birth is the same as for a row of a file.',
        body: MatchRequest,
        response: {
          200: ref(MatchReply, 'What the lists say about each subject, in their order.'),
          400: ref(ErrorReply, 'A field is missing, wrong or too long; the message names it.'),
          ...(closed ? { 401: ref(ErrorReply, 'The API key is missing, unknown or inactive.') } : {}),
          404: ref(ErrorReply, 'There is no such dataset; the message lists those there are.'),
          413: ref(ErrorReply, 'The body is too large, or comparing the names takes longer than a reply may.'),
          415: ref(ErrorReply, 'The body is not sent as application/json.'),
          503: ref(
            ErrorReply,
            'The dataset could not be loaded: nobody can be checked against it. Or the names of others take all of the service; `Retry-After` then says when to try again.',
          ),
        },
      },
    },
    async (request, reply) => {
      const { dataset = 'default', scoreThreshold: threshold = SCORE_THRESHOLD_DEFAULT, subjects } = request.body;
      const { limit = MATCHES_PER_ROW_MAX } = request.body;
      const read = subjects.map((subject, at) => readSubject(subject, `body.subjects.${at}`));
      const gone = new AbortController();
      reply.raw.once('close', () => gone.abort(new LaneClosed()));
      const owner = accountOf(request);
      const order = {
        dataset,
        threshold,
        limit,
        subjects: read,
        owner,
        signal: gone.signal,
        withinMs: REPLY_WITHIN_MS,
      };
      const { version, warning, outcomes } = await matcher
        .match(order)
        .catch((error) => explainFailure(error, request.id, log));
      const unread = warnOfUnknownRequest(request.body);
      return {
        dataset,
        datasetVersion: version,
        scoreThreshold: threshold,
        ...(warning !== undefined && { warning }),
        ...(unread.length > 0 && { warnings: unread }),
        results: outcomes.map((outcome, at) => {
          const subject = subjects[at]!;
          const warnings = [...warnOfUnknownFields(subject), ...outcome.warnings];
          return writeResult({ ...outcome, warnings }, subject.id);
        }),
      };
    },
  );
}
