// Verifies a wallet's response and returns a verdict or a named refusal.

import { openHpke } from '@limen/p256';
import type { JWK } from 'jose';
import { decodeCbor, isBytes, isMap } from '../cbor/codec.ts';
import { importAnswerKey, writePoint } from '../cose/key.ts';
import type { StatusReference } from '../mdoc/mobile-security-object.ts';
import { type VerifiedDocument, verifyDocument } from '../mdoc/verify-document.ts';
import { PROFILES, type ProfileId } from '../profiles/profiles.ts';
import { describeRefusal, type RefusalResult, refuse } from '../refusals.ts';
import { CREDENTIAL_ID } from '../requests/openid4vp-request.ts';
import { type RequestState, transcribeState } from '../requests/request-state.ts';
import type { RevocationReference } from '../revocation/verify-revocation.ts';
import type { Transcript } from '../transcripts/transcripts.ts';
import type { TrustAnchor } from '../trust/anchors.ts';
import { openJwe } from './open-jwe.ts';
import { parseJson, readBase64url, readFields, readText } from './read-answer.ts';

/** Extracts the device response from an OpenID4VP 1.0 response, which may be a JWE (8.3). */
export function openOpenid4vp(answer: unknown, answerKey: JWK | null): Uint8Array {
  const fields = readFields(answer);
  if (!answerKey) return readPresentation(fields['vp_token']);
  if (fields['response'] === undefined) refuse('answer_not_encrypted');
  const opened = readFields(parseJson(openJwe(readText(fields['response']), answerKey)));
  return readPresentation(opened['vp_token']);
}

/** 8.1: under the query's id, as a list of one. Forms contain it as JSON text. */
function readPresentation(vpToken: unknown): Uint8Array {
  const token = typeof vpToken === 'string' ? parseJson(readText(vpToken)) : vpToken;
  const presentations = readFields(token)[CREDENTIAL_ID];
  if (!Array.isArray(presentations) || presentations.length !== 1) return refuse('answer_malformed');
  return readBase64url(presentations[0]);
}

/** Opens a response by ISO/IEC 18013-7, Annex C: HPKE, with the transcript as its context. */
const EMPTY_BYTES = new Uint8Array(0);

export function openAnnexC(answer: unknown, answerKey: JWK, transcript: Transcript): Uint8Array {
  const { enc, cipherText } = readEncryptedResponse(readBase64url(readFields(answer)['response']));
  const context = {
    aead: 'aes-128-gcm',
    privateKey: importAnswerKey(answerKey),
    publicPoint: writePoint(answerKey),
    enc,
    info: transcript,
    associatedData: EMPTY_BYTES,
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
  /** Anchors of all profiles. Only those of the request's profile count. */
  anchors: readonly TrustAnchor[];
  now: Date;
  /** True in test and development only. */
  acceptTestIssuers: boolean;
}

/** Contains neither the attestation nor anything that would link two of them. */
export interface Proof {
  ok: true;
  profile: ProfileId;
  /** Age that the person has reached. */
  ageOver: number;
  /** Country of the issuer. Null if its certificate does not name one. */
  issuerCountry: string | null;
  isTestIssuer: boolean;
  /** If present, the proof counts only after `checkStatus` confirms it. */
  status: StatusReference | null;
  /** Issuer certificates to check with `checkRevocation` before the proof counts. */
  revocation: readonly RevocationReference[];
  /** Number of elements that were not requested. They were not read. */
  extraElements: number;
}

export type Verdict = Proof | RefusalResult;

/**
 * `answer` is the `data` returned by the browser, or the form posted by the wallet. Callers must
 * delete the state before, so that a response counts once.
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
