// A wallet's answer in, one yes or one named refusal out.

import { openHpke } from '@limen/p256';
import type { JWK } from 'jose';
import { decodeCbor, isBytes, isMap } from '../cbor/codec.ts';
import { importAnswerKey, writePoint } from '../cose/key.ts';
import type { StatusReference } from '../mdoc/mobile-security-object.ts';
import { type VerifiedDocument, verifyDocument } from '../mdoc/verify-document.ts';
import { PROFILES, type ProfileId } from '../profiles/profiles.ts';
import { describeRefusal, type Refused, refuse } from '../refusals.ts';
import { CREDENTIAL_ID } from '../requests/openid4vp-request.ts';
import { type RequestState, transcribeState } from '../requests/request-state.ts';
import type { RevocationReference } from '../revocation/verify-revocation.ts';
import type { Transcript } from '../transcripts/transcripts.ts';
import type { TrustAnchor } from '../trust/anchors.ts';
import { openJwe } from './open-jwe.ts';
import { parseJson, readBase64url, readFields, readText } from './read-answer.ts';

/** Takes the device response out of an answer by OpenID4VP 1.0: in the clear, or encrypted as a JWE (8.3). */
export function openOpenid4vp(answer: unknown, answerKey: JWK | null): Uint8Array {
  const fields = readFields(answer);
  if (!answerKey) return readPresentation(fields['vp_token']);
  if (fields['response'] === undefined) refuse('answer_not_encrypted');
  const opened = readFields(parseJson(openJwe(readText(fields['response']), answerKey)));
  return readPresentation(opened['vp_token']);
}

/** 8.1: by the id of the query, as a list of one. In a form it comes as the text of that. */
function readPresentation(vpToken: unknown): Uint8Array {
  const token = typeof vpToken === 'string' ? parseJson(readText(vpToken)) : vpToken;
  const presentations = readFields(token)[CREDENTIAL_ID];
  if (!Array.isArray(presentations) || presentations.length !== 1) return refuse('answer_malformed');
  return readBase64url(presentations[0]);
}

/** Opens the answer to a request by ISO/IEC 18013-7, Annex C: HPKE, with the transcript as its context. */
const NOTHING = new Uint8Array(0);

export function openAnnexC(answer: unknown, answerKey: JWK, transcript: Transcript): Uint8Array {
  const { enc, cipherText } = readEncryptedResponse(readBase64url(readFields(answer)['response']));
  const context = {
    aead: 'aes-128-gcm',
    privateKey: importAnswerKey(answerKey),
    publicPoint: writePoint(answerKey),
    enc,
    info: transcript,
    associatedData: NOTHING,
  } as const;
  return openHpke(context, cipherText) ?? refuse('answer_not_decryptable');
}

function readEncryptedResponse(bytes: Uint8Array): { enc: Uint8Array; cipherText: Uint8Array } {
  const response = decodeCbor(bytes);
  if (!Array.isArray(response) || response.length !== 2 || response[0] !== 'dcapi') return refuse('answer_malformed');
  const parts: unknown = response[1];
  if (!isMap(parts)) return refuse('answer_malformed');
  const [enc, cipherText] = [parts.get('enc'), parts.get('cipherText')];
  if (!isBytes(enc) || !isBytes(cipherText)) return refuse('answer_malformed');
  return { enc, cipherText };
}

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
