// What enrollment, sign-in, renewal and packing of face tokens share.
import type { Evaluator } from '@limen/token/evaluator';
import { rememberEpochs, writeId } from '@limen/token/shared';
import type { Core } from '../../platform/core.ts';
import { createPersonHandles } from '../galleries/person-handles.ts';
import { createPeopleStore } from '../galleries/store/people.ts';
import { createPeopleSeals } from '../galleries/store/row-seals.ts';
import type { KeyHolder } from '../keyholder/link/calls.ts';
import { createBlockStore } from './blocks/store.ts';
import { createTokenSeal } from './seal.ts';
import { createTokenStore } from './store.ts';

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

export type TokenModel = ReturnType<typeof describeTokenModel>;

const EMBEDDING_DIMENSIONS = 512;
const ID_HEX_DIGITS = 32;
const VERSION_HEX_DIGITS = 16;
/** Of every model of the manifest; the galleries of such versions are those of verification sessions. */
const VERSION_PREFIX = 'LIMEN_';

/** `identity` of the manifest's model for the role `embedding`: a SHA-256 in hexadecimal. */
export function describeTokenModel(identity: string) {
  return {
    /** The first 16 bytes of the model's identity, as the header of a token has them. */
    modelId: writeId(Buffer.from(identity.slice(0, ID_HEX_DIGITS), 'hex')),
    modelVersion: `${VERSION_PREFIX}${identity.slice(0, VERSION_HEX_DIGITS).toUpperCase()}`,
    /** Numbers in an embedding. */
    dimensions: EMBEDDING_DIMENSIONS,
  };
}

/** Whether people of verification sessions may live in galleries of this version, of this model or an earlier one. */
export function isSignInVersion(modelVersion: string): boolean {
  return modelVersion.startsWith(VERSION_PREFIX);
}
