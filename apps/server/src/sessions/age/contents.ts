// Reads the request that creates an age session: fills in its defaults, or refuses it.
import { type CreateAgeSessionRequest, METADATA_MAX_BYTES } from '@limen/contract';
import { AGE_KEY_DEFAULT_DAYS, FACE_MATCH_THRESHOLD, isStrongEnough, PROOFS } from '@limen/plan';
import { invalid } from '../../platform/base/errors.ts';
import { readCallback } from '../../webhooks/callback.ts';
import type { AgeContents, AgeStep, ProofSettings } from '../lifecycle/kinds.ts';
import { readLocale, readRequester, requireRedirectUrl } from '../lifecycle/read-contents.ts';
import { MAX_WALLET_AGE } from '../proofs/wallets/proofs.ts';

/** `metadataText` is the text that `metadata` was parsed from. */
export function readContents(
  body: CreateAgeSessionRequest,
  simulable: boolean,
  label: string | null = null,
  metadataText: string | null = null,
): AgeContents {
  const ageThreshold = body.ageThreshold ?? 18;
  const metadata = metadataText ?? JSON.stringify(body.metadata ?? {});
  const callback = body.callback && readCallback(body.callback);
  if (Buffer.byteLength(metadata) > METADATA_MAX_BYTES) {
    throw invalid('body.metadata', `must have at most ${METADATA_MAX_BYTES} bytes of JSON text, as sent`);
  }
  const requirements = (body.requirements ?? ['face']).filter((step) => step !== 'wallet_proof');
  const documentAgeThreshold = body.documentAgeThreshold ?? ageThreshold;
  const proofs = readProofs(body, requirements);
  const takesOnlyWallets = requirements.length === 0 && proofs?.accepted.every((proof) => proof === 'wallet');
  if (takesOnlyWallets && documentAgeThreshold > MAX_WALLET_AGE) {
    const sentence = `needs another step in addition to wallet_proof: wallets prove ${MAX_WALLET_AGE} years at most, and this session requires ${documentAgeThreshold}`;
    throw invalid('body.requirements', sentence);
  }
  if (body.light && !requirements.includes('face')) {
    throw invalid('body.light', 'needs a face step, and requirements have none');
  }
  return {
    settings: {
      requirements,
      ageThreshold,
      documentAgeThreshold,
      faceMatchThreshold: body.faceMatchThreshold ?? FACE_MATCH_THRESHOLD,
      stepUpEnabled: body.stepUpEnabled ?? false,
      facialAgeEstimationReturnFormat: body.facialAgeEstimationReturnFormat ?? 'threshold',
      documentAgeReturnFormat: body.documentAgeReturnFormat ?? 'threshold',
      light: body.light,
      ...(proofs && { proofs }),
    },
    locale: readLocale(body.locale),
    enableDesktop: body.enableDesktop ?? false,
    enableDocumentFile: body.enableDocumentFile ?? false,
    redirectUrl: body.redirectUrl === undefined ? undefined : requireRedirectUrl(body.redirectUrl, 'body.redirectUrl'),
    handoff: body.handoff ?? 'allow',
    callback,
    metadata,
    simulable,
    requester: readRequester(label),
  };
}

/** A required wallet is also offered first: the other steps are for people without one. */
function readProofs(body: CreateAgeSessionRequest, steps: readonly AgeStep[]): ProofSettings | undefined {
  const { acceptedProofs = [], requirements = [], ageKeyMaxDays, ageKeyStrength, ageKeyFrom } = body;
  const wanted = [...acceptedProofs, ...(requirements.includes('wallet_proof') ? (['wallet'] as const) : [])];
  const accepted = PROOFS.filter((proof) => wanted.includes(proof));
  const [unused] = Object.entries({ ageKeyMaxDays, ageKeyStrength, ageKeyFrom }).find(([, value]) => value) ?? [];
  if (unused && !accepted.includes('age_key')) {
    throw invalid(`body.${unused}`, 'needs "age_key" in acceptedProofs, and it is not there');
  }
  if (accepted.length === 0) return undefined;
  const asksForBoth = steps.includes('face') && steps.includes('identity_document');
  if (asksForBoth && ageKeyStrength && !isStrongEnough(ageKeyStrength, 'document_and_face')) {
    throw invalid(
      'body.ageKeyStrength',
      'must be document_and_face or wallet, because the session requires a face and a document; leave it out or raise it',
    );
  }
  // A key that a face has earned is too weak for a session that asks for more than a face.
  const asksForMore = steps.includes('identity_document') || !steps.includes('face') || body.light === 'required';
  const weakest = asksForBoth ? 'document_and_face' : asksForMore ? 'document' : 'face';
  return {
    accepted,
    ageKeyMaxDays: ageKeyMaxDays ?? AGE_KEY_DEFAULT_DAYS,
    ageKeyStrength: ageKeyStrength ?? weakest,
    ...(ageKeyFrom && { ageKeyFrom }),
  };
}
