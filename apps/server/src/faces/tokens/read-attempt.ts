// What a device sent for an attempt, checked against what it was given: key and model must be the right ones.
import { readToken, TokenError } from '@limen/token/shared';
import type { TokenParts } from './parts.ts';
import type { EnrolAsk } from './tokens.ts';

/** For the log; the device hears only that it was refused. */
export class MalformedToken extends Error {
  override readonly name = 'MalformedToken';
}

/**
 * Has the key-holder look at the probe's shape, which uses the challenge up. Returns the probe's body; throws MalformedToken.
 * `person` names whom the attempt is compared with, if it is not everybody.
 */
export async function beginAttempt(
  { evaluator, keyHolder, model }: Pick<TokenParts, 'evaluator' | 'keyHolder' | 'model'>,
  { challenge, probe, facts }: EnrolAsk,
  person?: string,
): Promise<Uint8Array> {
  try {
    const { keyId, modelId, body } = readToken(probe);
    if (keyId !== challenge) throw new MalformedToken('key');
    if (modelId !== model.modelId) throw new MalformedToken('model');
    const about = { ...(person !== undefined && { person }), ...(facts && { facts }) };
    const shape = await evaluator.shape(body);
    const begun = await keyHolder.begin(challenge, { modelVersion: model.modelVersion, ...about }, shape);
    if (begun === 'malformed') throw new MalformedToken('shape');
    return body;
  } catch (error) {
    // The codes of the token package as ours.
    throw error instanceof TokenError ? new MalformedToken(error.code) : error;
  }
}
