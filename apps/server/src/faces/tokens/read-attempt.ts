// What a device sent for an attempt, checked against what it was given: key and model must be the right ones.
import type { Evaluator } from '@limen/token/evaluator';
import { readToken, TokenError } from '@limen/token/shared';
import type { AboutAttempt, KeyHolder } from '../keyholder/link/calls.ts';

/** For the log; the device hears only that it was refused. */
export class MalformedToken extends Error {
  override readonly name = 'MalformedToken';
}

/** The body; throws MalformedToken. The coefficients are checked where it is unpacked. */
export function readAttempt(bytes: Uint8Array, expected: { challenge: string; modelId: string }): Uint8Array {
  try {
    const { keyId, modelId, body } = readToken(bytes);
    if (keyId !== expected.challenge) throw new MalformedToken('key');
    if (modelId !== expected.modelId) throw new MalformedToken('model');
    return body;
  } catch (error) {
    throw asMalformed(error);
  }
}

/** Has the key-holder look at the probe's shape, which uses the challenge up; throws MalformedToken. */
export async function beginAttempt(
  { evaluator, keyHolder }: { evaluator: Evaluator; keyHolder: KeyHolder },
  challenge: string,
  about: AboutAttempt,
  probe: Uint8Array,
): Promise<void> {
  const shape = await evaluator.shape(probe).catch((error: unknown) => {
    throw asMalformed(error);
  });
  if ((await keyHolder.begin(challenge, about, shape)) === 'malformed') throw new MalformedToken('shape');
}

/** The codes of the token package as ours. */
function asMalformed(error: unknown): unknown {
  return error instanceof TokenError ? new MalformedToken(error.code) : error;
}
