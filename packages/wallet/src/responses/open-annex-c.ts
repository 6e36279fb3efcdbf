// Opens the answer to a request by ISO/IEC 18013-7, Annex C: HPKE, with the transcript as its context.
import type { JWK } from 'jose';
import { decodeCbor, encodeCbor, isBytes, isMap } from '../cbor/codec.ts';
import { refuse } from '../refusals.ts';
import { ANSWER_SUITE } from '../requests/answer-key.ts';
import type { Transcript } from '../transcripts/transcripts.ts';
import { readBase64url, readFields } from './read-answer.ts';

export async function openAnnexC(answer: unknown, answerKey: JWK, transcript: Transcript): Promise<Uint8Array> {
  const { enc, cipherText } = readEncryptedResponse(readBase64url(readFields(answer)['response']));
  const recipientKey = await importPair(answerKey);
  try {
    const opened = await ANSWER_SUITE.open({ recipientKey, enc, info: encodeCbor(transcript) }, cipherText);
    return new Uint8Array(opened);
  } catch {
    return refuse('answer_not_decryptable');
  }
}

/** Both, since the library would have to work the public one out. */
async function importPair({ d, ...publicJwk }: JWK) {
  const [privateKey, publicKey] = await Promise.all([
    ANSWER_SUITE.kem.importKey('jwk', { ...publicJwk, ...(d ? { d } : {}), key_ops: ['deriveBits'] }, false),
    ANSWER_SUITE.kem.importKey('jwk', publicJwk, true),
  ]);
  return { privateKey, publicKey };
}

function readEncryptedResponse(bytes: Uint8Array): {
  enc: Uint8Array<ArrayBuffer>;
  cipherText: Uint8Array<ArrayBuffer>;
} {
  const response = decodeCbor(bytes);
  if (!Array.isArray(response) || response.length !== 2 || response[0] !== 'dcapi') return refuse('answer_malformed');
  const parts: unknown = response[1];
  if (!isMap(parts)) return refuse('answer_malformed');
  const [enc, cipherText] = [parts.get('enc'), parts.get('cipherText')];
  if (!isBytes(enc) || !isBytes(cipherText)) return refuse('answer_malformed');
  return { enc: Uint8Array.from(enc), cipherText: Uint8Array.from(cipherText) };
}
