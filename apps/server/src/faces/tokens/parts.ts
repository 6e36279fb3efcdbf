// What enrollment, sign-in, renewal and packing of face tokens share.
import type { Evaluator } from '@limen/token/evaluator';
import { rememberEpochs } from '@limen/token/shared';
import type { Core } from '../../platform/core.ts';
import { createPersonHandles } from '../galleries/person-handles.ts';
import { createPeopleStore } from '../galleries/store/people.ts';
import { createPeopleSeals } from '../galleries/store/row-seals.ts';
import type { KeyHolder } from '../keyholder/link/calls.ts';
import { createBlockStore } from './blocks/store.ts';
import type { TokenModel } from './model.ts';
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
