// HTTP of screening single subjects and small batches.
import { MATCHES_PER_ROW_MAX, MatchReply, MatchRequest, ref, SCORE_THRESHOLD_DEFAULT } from '@limen/contract';
import type { Logger } from 'pino';
import { findWorkOwner } from '../../platform/http/limits/client-account.ts';
import { hostRoutes } from '../../platform/http/route.ts';
import type { Door } from '../../platform/http/types.ts';
import { createSignal, explainFailure } from '../engine/pool.ts';
import { batchBodyLimit, REPLY_WITHIN_MS } from '../limits.ts';
import { warnOfUnknownFields, warnOfUnknownRequest } from './known-fields.ts';
import type { Matcher } from './matcher.ts';
import { readSubject, spellSchemas } from './read-subject.ts';
import { writeResult } from './write-result.ts';

/** `closed`: an API key is required. */
export function registerMatchRoutes(door: Door, matcher: Matcher, log: Logger, closed: boolean): void {
  hostRoutes(door, 'Sanctions check', closed ? 'key' : 'recognized')(
    'POST /v2/screening/match',
    {
      bodyLimit: batchBodyLimit(closed),
      preValidation: async ({ body }) => spellSchemas(body),
      summary: 'Screen people, organizations and vessels',
      description:
        'One to a hundred subjects, each with what is known of it. Nothing is kept. The score of a name and date of birth is the same as for a row of a file.',
      body: MatchRequest,
      reply: { 200: ref(MatchReply, 'The matches of each subject, in the order of the request.') },
      errors: {
        400: 'A field is missing, wrong or too long; the message names it.',
        404: 'There is no such dataset; the message lists those there are.',
        413: 'The body is too large, or comparing the names takes longer than a reply may.',
        503: 'The dataset could not be loaded, or the service is at capacity; `Retry-After` then says when to retry.',
      },
    },
    async ({ body, request, reply }) => {
      const { dataset = 'default', scoreThreshold: threshold = SCORE_THRESHOLD_DEFAULT, subjects } = body;
      const { limit = MATCHES_PER_ROW_MAX } = body;
      const read = subjects.map((subject, at) => readSubject(subject, `body.subjects.${at}`));
      const work = { owner: findWorkOwner(request), signal: createSignal(reply), withinMs: REPLY_WITHIN_MS };
      const { version, warning, outcomes } = await matcher
        .match({ dataset, threshold, limit, subjects: read, ...work })
        .catch((error) => explainFailure(error, request.id, log));
      const unread = warnOfUnknownRequest(body);
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
