// Sign-in through the server: compares a probe with everyone of an owner, or with one person.
import { named, type PersonId } from '../../platform/base/ids.ts';
import { UnknownEpochError } from '../keyholder/link/calls.ts';
import { beginAttempt, type TokenParts } from './parts.ts';
import type { BeginSearch, TokenSearch } from './search/search.ts';
import type { IdentifyAsk, IdentifyOutcome } from './tokens.ts';

export function createIdentify(parts: TokenParts, beginSearch: BeginSearch) {
  const { people, store, keyHolder, handles, model } = parts;

  return async (ask: IdentifyAsk): Promise<IdentifyOutcome> => {
    const { owner, challenge, among } = ask;
    // A person who was deleted just now has no handle; the challenge stands in for it and matches no one.
    const person = among === undefined ? undefined : ((await handles.ofPerson(among)) ?? challenge);
    const probe = await beginAttempt(parts, ask, person);
    try {
      const found = await (among === undefined ? searchAll(ask, probe) : compareWith(ask, probe, among));
      // Read after the decision, because the person may be deleted by now. Read also without a match: not even the time must tell
      // a locked person from a stranger.
      const row = await store.findOwner(owner, found ?? named<PersonId>(challenge));
      const match = row?.provisionalSession === null ? row : undefined;
      const handle = await handles.ofPerson(match?.personId);
      const settlement = await keyHolder.settle(challenge, handle ?? null);
      if (!match || settlement === 'locked') return { kind: 'no_match' };
      return { kind: 'match', personId: match.personId, puid: match.puid, guid: match.guid };
    } catch (error) {
      // An interrupted attempt counts for nothing, and the key-holder need not wait for its end.
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
    // Tokens renewed since are there again under the new key. Lost ones match no one.
    const isThere = (await store.findOwner(ask.owner, among)) !== undefined;
    if (isThere && !(await tryToCover(search, among))) await tryToCover(search, among);
    return search.finish();
  }

  async function tryToCover(search: TokenSearch, personId: PersonId): Promise<boolean> {
    try {
      await search.coverThese(await store.listTokensOfPerson(personId));
      return true;
    } catch (error) {
      if (error instanceof UnknownEpochError) return false;
      throw error;
    }
  }
}
