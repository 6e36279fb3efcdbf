// HTTP of the evidence for a subject: as JSON, as a page, or signed.
import { Readable } from 'node:stream';
import { ref, SubjectEvidence } from '@limen/contract';
import type { FastifyReply } from 'fastify';
import { ownerOf } from '../../platform/api-keys/owner.ts';
import type { Context } from '../../platform/context.ts';
import { alsoAs } from '../../platform/http/body/media-types.ts';
import { prefersJwt } from '../../platform/http/body/negotiation.ts';
import { orSigned, sendJwt } from '../../platform/http/body/signed-reply.ts';
import { sendStandalonePage } from '../../platform/http/pages/standalone.ts';
import type { AddHostRoute } from '../../platform/http/route.ts';
import type { SigningDoor } from '../../signing/open.ts';
import { collectEvidence, type EvidenceStream, gatherEvidence, writeEvidence } from './evidence/collect.ts';
import { evidencePage } from './evidence/page.ts';
import { IdPath, UNKNOWN_SUBJECT } from './route-texts.ts';
import type { WatchedSubjects } from './subjects.ts';

export function registerEvidenceRoute(
  add: AddHostRoute<'client'>,
  { clock }: Pick<Context, 'clock'>,
  { signing }: Pick<SigningDoor, 'signing'>,
  watched: WatchedSubjects,
): void {
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
    async ({ caller, params, request, reply }) => {
      const subject = await watched.find(ownerOf(caller), params.id);
      const evidence = await collectEvidence(watched, subject, clock.now());
      if (prefersJwt(request.headers.accept)) {
        const contents = await gatherEvidence(evidence);
        return sendJwt(reply, await signing.sign(ownerOf(caller), 'limen-screening-evidence+jwt', contents));
      }
      const wantsPage = /\btext\/html\b/.test(request.headers.accept ?? '');
      if (wantsPage) return sendStandalonePage(reply, evidencePage(evidence));
      return sendEvidence(reply, evidence);
    },
  );
}

function sendEvidence(reply: FastifyReply, evidence: EvidenceStream): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(Readable.from(writeEvidence(evidence)));
}
