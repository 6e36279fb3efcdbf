// Serves the evidence for a watched subject: as JSON, as a page, or signed.
import { Readable } from 'node:stream';
import { ref, SubjectEvidence } from '@limen/contract';
import { toOwner } from '../../../platform/api-keys/owner.ts';
import type { Context } from '../../../platform/context.ts';
import { alsoAs } from '../../../platform/http/body/media-types.ts';
import { prefersJwt } from '../../../platform/http/body/negotiation.ts';
import { orSigned, sendJwt } from '../../../platform/http/body/signed-reply.ts';
import { sendStandalonePage } from '../../../platform/http/pages/standalone.ts';
import type { SigningDoor } from '../../../signing/open.ts';
import { type AddRoute, IdPath, UNKNOWN_SUBJECT } from '../route-parts.ts';
import type { WatchedSubjects } from '../subjects.ts';
import { collectEvidence, gatherEvidence, writeEvidence } from './collect.ts';
import { evidencePage } from './page.ts';

export function registerEvidenceRoute(
  add: AddRoute,
  { clock }: Context,
  { signing }: SigningDoor,
  watched: WatchedSubjects,
) {
  add(
    'GET /v2/screening/subjects/:id/evidence',
    {
      summary: 'Export the evidence for a subject',
      description:
        'All that is known and was found, with every change and every decision: as JSON, or with `Accept: text/html` as a page to print, which needs nothing from elsewhere; without `subject.callback`, which may be secret. It is written as it is read, however long it is; if the connection breaks off, it is not whole. With `Accept: application/jwt` signed; see docs/signed-results.md.',
      params: IdPath,
      reply: { 200: alsoAs(orSigned(ref(SubjectEvidence)), 'text/html') },
      errors: {
        404: UNKNOWN_SUBJECT,
        413: 'The history is too long to be signed in one piece; it can be had as JSON.',
      },
    },
    async ({ caller, params, request: { headers }, reply }) => {
      const owner = toOwner(caller);
      const evidence = await collectEvidence(watched, await watched.find(owner, params.id), clock.now());
      if (prefersJwt(headers.accept))
        return sendJwt(
          reply,
          await signing.sign(owner, 'limen-screening-evidence+jwt', await gatherEvidence(evidence)),
        );
      if (/\btext\/html\b/.test(headers.accept ?? '')) return sendStandalonePage(reply, evidencePage(evidence));
      return reply.type('application/json; charset=utf-8').send(Readable.from(writeEvidence(evidence)));
    },
  );
}
