// The outer format of responses by Annex C, and invalid ones.
import { beforeAll, expect, it } from 'vitest';
import { encodeCbor } from '../cbor/codec.ts';
import { describeRefusal } from '../refusals.ts';
import { type AnswerKey, deriveAnswerKey } from '../requests/answer-key.ts';
import { openAnnexC } from './verify-response.ts';

const PARTS = { enc: new Uint8Array(65), cipherText: new Uint8Array(16) };
let ours: AnswerKey;

beforeAll(async () => {
  ours = await deriveAnswerKey(new Uint8Array(32).fill(1));
});

const wrap = (parts: Record<string, unknown>) => new Map(Object.entries({ ...PARTS, ...parts }));

it.each<[string, unknown, string]>([
  ['as it must be, and opens with no key', ['dcapi', wrap({})], 'answer_not_decryptable'],
  [
    'no list',
    new Map<number, unknown>([
      [0, 'dcapi'],
      [1, wrap({})],
    ]),
    'answer_malformed',
  ],
  ['a list of one', ['dcapi'], 'answer_malformed'],
  ['a list of three', ['dcapi', wrap({}), 1], 'answer_malformed'],
  ['of another kind', ['AndroidHandoverv1', wrap({})], 'answer_malformed'],
  ['without parts', ['dcapi', 1], 'answer_malformed'],
  ['a text for the key', ['dcapi', wrap({ enc: 'AAAA' })], 'answer_malformed'],
  ['a number for the answer', ['dcapi', wrap({ cipherText: 1 })], 'answer_malformed'],
])('handles %s', (_, wrapped, refusal) => {
  const response = Buffer.from(encodeCbor(wrapped)).toString('base64url');
  expect(refusalOf({ response })).toBe(refusal);
});

function refusalOf(answer: unknown): string {
  try {
    openAnnexC(answer, ours.privateJwk, new Uint8Array(0));
    return 'none';
  } catch (error) {
    return describeRefusal(error).refusal;
  }
}
