// Shared by enrollment, sign-in, renewal and packing of face tokens: their parts, their model, and the start of an attempt.
import type { Evaluator } from '@limen/token/evaluator';
import { readToken, rememberEpochs, TokenError, writeId } from '@limen/token/shared';
import type { Core } from '../../platform/core.ts';
import { createPersonHandles } from '../galleries/person-handles.ts';
import { createPeopleStore } from '../galleries/store/people.ts';
import { createPeopleSeals } from '../galleries/store/row-seals.ts';
import type { KeyHolder } from '../keyholder/link/calls.ts';
import { createBlockStore } from './blocks/store.ts';
import { createTokenSeal } from './seal.ts';
import { createTokenStore } from './store.ts';
import type { EnrollAsk } from './tokens.ts';

export type TokenParts = ReturnType<typeof createTokenParts>;

export function createTokenParts(
  { database, sealer, clock, ids, log }: Pick<Core, 'database' | 'sealer' | 'clock' | 'ids' | 'log'>,
  { model, evaluator, keyHolder }: { model: TokenModel; evaluator: Evaluator; keyHolder: KeyHolder },
) {
  const seal = createTokenSeal(sealer);
  return {
    ...{ database, sealer, clock, ids, log, model, evaluator, keyHolder },
    people: createPeopleStore(database, sealer, log),
    store: createTokenStore(database, model.modelVersion, seal, createPeopleSeals(sealer, log)),
    blocks: createBlockStore(database, seal),
    handles: createPersonHandles(database, sealer),
    polynomialsOf: rememberEpochs(),
  };
}

type TokenModel = ReturnType<typeof describeTokenModel>;

const EMBEDDING_DIMENSIONS = 512;
const ID_HEX_DIGITS = 32;
const VERSION_HEX_DIGITS = 16;
const VERSION_PREFIX = 'LIMEN_';

/** `identity`: SHA-256 of the manifest's embedding model, in hex. */
export function describeTokenModel(identity: string) {
  return {
    modelId: writeId(Buffer.from(identity.slice(0, ID_HEX_DIGITS), 'hex')),
    modelVersion: `${VERSION_PREFIX}${identity.slice(0, VERSION_HEX_DIGITS).toUpperCase()}`,
    dimensions: EMBEDDING_DIMENSIONS,
  };
}

/** Returns whether people of verification sessions may live in galleries of this version, of this model or an earlier one. */
export function isSignInVersion(modelVersion: string): boolean {
  return modelVersion.startsWith(VERSION_PREFIX);
}

/** The log has the reason; the device learns only of the refusal. */
export class MalformedTokenError extends Error {}

/** Begins an attempt, which uses the challenge up, and returns the probe's body. Throws MalformedTokenError. */
export async function beginAttempt(
  { evaluator, keyHolder, model }: TokenParts,
  { challenge, probe, facts }: EnrollAsk,
  person?: string,
): Promise<Uint8Array> {
  try {
    const { keyId, modelId, body } = readToken(probe);
    if (keyId !== challenge) throw new MalformedTokenError('key');
    if (modelId !== model.modelId) throw new MalformedTokenError('model');
    const shape = await evaluator.shape(body);
    const about = { ...(person !== undefined && { person }), ...(facts && { facts }) };
    const begun = await keyHolder.begin(challenge, { modelVersion: model.modelVersion, ...about }, shape);
    if (begun === 'malformed') throw new MalformedTokenError('shape');
    return body;
  } catch (error) {
    throw error instanceof TokenError ? new MalformedTokenError(error.code) : error;
  }
}
