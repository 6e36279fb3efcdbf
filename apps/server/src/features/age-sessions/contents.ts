// What an age session keeps of its creation: the request with its defaults filled in, or a refusal.

import { type CreateAgeSessionRequest, type HandoffPolicy, METADATA_MAX_BYTES } from '@limen/contract';
import { FACE_MATCH_THRESHOLD } from '@limen/plan';
import type { AgeContents } from '../../core/sessions/kinds/age.ts';
import { readLocale } from '../../core/sessions/read-locale.ts';
import { requireRedirectUrl } from '../../core/sessions/redirect-url.ts';
import { readRequester } from '../../core/sessions/requester.ts';
import { readCallback } from '../../core/webhooks/check-callback.ts';
import { invalid } from '../../platform/errors.ts';

const DEFAULT_AGE_THRESHOLD = 18;
export const DEFAULT_HANDOFF: HandoffPolicy = 'allow';

/** Refuses what the schema cannot. `label` is that of the API key; `metadataText` is what `metadata` was parsed from. */
export function readContents(
  body: CreateAgeSessionRequest,
  simulable: boolean,
  label: string | null = null,
  metadataText: string | null = null,
): AgeContents {
  const ageThreshold = body.ageThreshold ?? DEFAULT_AGE_THRESHOLD;
  const metadata = metadataText ?? JSON.stringify(body.metadata ?? {});
  const callback = body.callback && readCallback(body.callback);
  if (Buffer.byteLength(metadata) > METADATA_MAX_BYTES) {
    throw invalid('body.metadata', `must have at most ${METADATA_MAX_BYTES} bytes of JSON text, as sent`);
  }
  const requirements = body.requirements ?? ['face'];
  if (body.light && !requirements.includes('face')) {
    throw invalid('body.light', 'needs a face step, and requirements have none');
  }
  return {
    settings: {
      requirements,
      ageThreshold,
      documentAgeThreshold: body.documentAgeThreshold ?? ageThreshold,
      faceMatchThreshold: body.faceMatchThreshold ?? FACE_MATCH_THRESHOLD,
      stepUpEnabled: body.stepUpEnabled ?? false,
      facialAgeEstimationReturnFormat: body.facialAgeEstimationReturnFormat ?? 'threshold',
      documentAgeReturnFormat: body.documentAgeReturnFormat ?? 'threshold',
      light: body.light,
    },
    locale: readLocale(body.locale),
    enableDesktop: body.enableDesktop ?? false,
    enableDocumentFile: body.enableDocumentFile ?? false,
    redirectUrl: body.redirectUrl === undefined ? undefined : requireRedirectUrl(body.redirectUrl, 'body.redirectUrl'),
    handoff: body.handoff ?? DEFAULT_HANDOFF,
    callback,
    metadata,
    simulable,
    requester: readRequester(label),
  };
}
