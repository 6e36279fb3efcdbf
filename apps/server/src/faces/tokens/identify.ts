// Sign-in through the server: a probe against everybody of an owner, or against one person.
import { named, type PersonId } from '../../platform/base/ids.ts';
import { UnknownEpoch } from '../keyholder/link/calls.ts';
import type { TokenParts } from './parts.ts';
import { beginAttempt } from './read-attempt.ts';
import type { BeginSearch, TokenSearch } from './search/search.ts';
import type { IdentifyAsk, IdentifyOutcome } from './tokens.ts';

export function createIdentify(
  parts: TokenParts,
  beginSearch: BeginSearch,
): (ask: IdentifyAsk) => Promise<IdentifyOutcome> {
  const { people, store, keyHolder, handles, model } = parts;

  return async (ask) => {
    const { owner: whose, challenge, among } = ask;
    // Somebody who was deleted just now is compared with nobody, under a name of this attempt's own.
    const person = among === undefined ? undefined : ((await handles.ofPerson(among)) ?? challenge);
    const probe = await beginAttempt(parts, ask, person);
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
