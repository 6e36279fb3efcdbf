// Takes the device response out of an answer by OpenID4VP 1.0: in the clear, or encrypted as a JWE (8.3).
import type { JWK } from 'jose';
import { refuse } from '../refusals.ts';
import { CREDENTIAL_ID } from '../requests/openid4vp-request.ts';
import { openJwe } from './open-jwe.ts';
import { parseJson, readBase64url, readFields, readText } from './read-answer.ts';

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
