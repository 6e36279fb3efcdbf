// A wallet's answer in, one yes or one named refusal out.

import type { StatusReference } from '../mdoc/mobile-security-object.ts';
import { type VerifiedDocument, verifyDocument } from '../mdoc/verify-document.ts';
import { PROFILES, type ProfileId } from '../profiles/profiles.ts';
import { describeRefusal, type Refused, refuse } from '../refusals.ts';
import { type RequestState, transcribeState } from '../requests/request-state.ts';
import type { RevocationReference } from '../revocation/verify-revocation.ts';
import type { TrustAnchor } from '../trust/anchors.ts';
import { openAnnexC } from './open-annex-c.ts';
import { openOpenid4vp } from './open-openid4vp.ts';

export interface VerifyOptions {
  /** Of any profile: only those of the request's own count. */
  anchors: readonly TrustAnchor[];
  now: Date;
  /** True in test and development only. */
  acceptTestIssuers: boolean;
}

/** Neither the attestation nor anything that would tell two of them apart. */
export interface Proof {
  ok: true;
  profile: ProfileId;
  /** The person has reached this age. */
  ageOver: number;
  /** Of the issuer; null where its certificate does not say. */
  issuerCountry: string | null;
  isTestIssuer: boolean;
  /** Where there is one, the proof counts only once `checkStatus` says so too. */
  status: StatusReference | null;
  /** Certificates of the issuer that may have been revoked: the proof counts only once `checkRevocation` says that they are not. */
  revocation: readonly RevocationReference[];
  /** How many elements came that nobody asked for; they were not read. */
  extraElements: number;
}

export type Verdict = Proof | Refused;

/**
 * `answer` is the `data` of what the browser returned, or the fields of the form that the wallet posted. A state is for one
 * answer: whoever calls forgets it before, so that an answer counts once.
 */
export async function verifyResponse(state: RequestState, answer: unknown, options: VerifyOptions): Promise<Verdict> {
  try {
    const { isTestIssuer, ...verified } = await verify(state, answer, options);
    if (isTestIssuer && !options.acceptTestIssuers) refuse('test_issuer');
    const { profile, ageOver } = state;
    return { ok: true, profile, ageOver, isTestIssuer, ...verified };
  } catch (error) {
    return describeRefusal(error);
  }
}

async function verify(
  state: RequestState,
  answer: unknown,
  { anchors, now }: VerifyOptions,
): Promise<VerifiedDocument> {
  const transcript = transcribeState(state);
  const { ageOver, answerKey } = state;
  const response =
    state.handover.kind === 'annex_c' && answerKey
      ? openAnnexC(answer, answerKey, transcript)
      : openOpenid4vp(answer, answerKey);
  return verifyDocument(response, { profile: PROFILES[state.profile], ageOver, transcript, answerKey, anchors, now });
}
