// Opens the answer to a request by ISO/IEC 18013-7, Annex C: HPKE, with the transcript as its context.
import { openHpke } from '@limen/p256';
import type { JWK } from 'jose';
import { decodeCbor, isBytes, isMap } from '../cbor/codec.ts';
import { importAnswerKey, writePoint } from '../cose/key.ts';
import { refuse } from '../refusals.ts';
import type { Transcript } from '../transcripts/transcripts.ts';
import { readBase64url, readFields } from './read-answer.ts';

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
