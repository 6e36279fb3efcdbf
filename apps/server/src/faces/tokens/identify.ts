// Sign-in through the server: a probe against everybody of an owner, or against one person.
import type { Evaluator } from '@limen/token/evaluator';
import { named, type PersonId } from '../../platform/base/ids.ts';
import type { PersonHandles } from '../galleries/person-handles.ts';
import type { PeopleStore } from '../galleries/store/people.ts';
import { type KeyHolder, UnknownEpoch } from '../keyholder/link/calls.ts';
import type { TokenModel } from './model.ts';
import { beginAttempt, readAttempt } from './read-attempt.ts';
import type { BeginSearch, TokenSearch } from './search/search.ts';
import type { TokenStore } from './store.ts';
import type { IdentifyAsk, IdentifyOutcome } from './tokens.ts';

interface IdentifyOptions {
  people: Pick<PeopleStore, 'findGallery'>;
  store: TokenStore;
  evaluator: Evaluator;
  keyHolder: KeyHolder;
  beginSearch: BeginSearch;
  handles: Pick<PersonHandles, 'ofPerson'>;
  model: TokenModel;
}

export function createIdentify(options: IdentifyOptions): (ask: IdentifyAsk) => Promise<IdentifyOutcome> {
  const { people, store, evaluator, keyHolder, beginSearch, handles, model } = options;

  return async (ask) => {
    const { owner: whose, challenge, among } = ask;
    const probe = readAttempt(ask.probe, { challenge, modelId: model.modelId });
    // Somebody who was deleted just now is compared with nobody, under a name of this attempt's own.
    const person = among === undefined ? undefined : ((await handles.ofPerson(among)) ?? challenge);
    const about = {
      modelVersion: model.modelVersion,
      ...(person === undefined ? {} : { person }),
      ...(ask.facts === undefined ? {} : { facts: ask.facts }),
    };
    await beginAttempt({ evaluator, keyHolder }, challenge, about, probe);
    try {
      const found = among === undefined ? await searchAll(ask, probe) : await compareWith(ask, probe, among);
      // Looked up after the answer: somebody who was deleted while it was found is nobody. And looked up for nobody too:
      // whoever is locked must not be told from a stranger, not even by the time that this takes.
      const owner = await store.findOwner(whose, found ?? named<PersonId>(challenge));
      const match = owner?.provisionalSession === null ? owner : undefined;
      const handle = await handles.ofPerson(match?.personId);
      const settlement = await keyHolder.settle(challenge, handle ?? null);
      if (!match || settlement === 'locked') return { kind: 'no_match' };
      return { kind: 'match', personId: match.personId, puid: match.puid, guid: match.guid };
    } catch (error) {
      // An attempt that broke off counts for nothing; the key-holder need not wait for its end.
      await keyHolder.settle(challenge, null).catch(() => {});
      throw error;
    }
  };

  async function searchAll({ owner, challenge }: IdentifyAsk, probe: Uint8Array): Promise<PersonId | undefined> {
    const gallery = await people.findGallery(owner, model.modelVersion, model.dimensions);
    const search = beginSearch(challenge, probe, store.listProvisional);
    if (gallery) await search.cover(gallery);
    return search.finish();
  }

  async function compareWith(ask: IdentifyAsk, probe: Uint8Array, among: PersonId): Promise<PersonId | undefined> {
    const search = beginSearch(ask.challenge, probe);
    if (await store.findOwner(ask.owner, among)) await coverPerson(search, among);
    return search.finish();
  }

  async function coverPerson(search: TokenSearch, personId: PersonId): Promise<void> {
    try {
      await search.coverThese(await store.listTokensOfPerson(personId));
    } catch (error) {
      if (!(error instanceof UnknownEpoch)) throw error;
      // Renewed just now: it is there again under the new key. When it is lost, nobody matches.
      await search.coverThese(await store.listTokensOfPerson(personId)).catch((second: unknown) => {
        if (!(second instanceof UnknownEpoch)) throw second;
      });
    }
  }
}
