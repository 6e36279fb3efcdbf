// Puts the face tokens together: store, memory, evaluator, and the key-holder that decides.
import { createHmac } from 'node:crypto';
import { Evaluator } from '@limen/token/evaluator';
import { rememberEpochs } from '@limen/token/shared';
import { nameOf, type Owner } from '../../platform/api-keys/owner.ts';
import { Limiter } from '../../platform/async/limiter.ts';
import { shareRuns } from '../../platform/async/share-runs.ts';
import type { Core } from '../../platform/core.ts';
import { createPersonHandles } from '../galleries/person-handles.ts';
import { ensureGallery } from '../galleries/store/galleries.ts';
import { createPeopleStore } from '../galleries/store/people.ts';
import { createProvisionalPeople } from '../galleries/store/provisional-people.ts';
import { createPeopleSeals } from '../galleries/store/row-seals.ts';
import { type KeyHolder, NEW_FOR_MS, type VouchingDevice } from '../keyholder/link/calls.ts';
import { MAX_SEARCHES, MAX_WAITING_SEARCHES, MAX_WAITING_SEARCHES_OF_CUSTOMER } from '../limits.ts';
import { createPackAll, PACK_FROM } from './blocks/pack-all.ts';
import { createBlockStore } from './blocks/store.ts';
import { checkRoom, Enrolments } from './enrol.ts';
import { createIdentify } from './identify.ts';
import { describeTokenModel } from './model.ts';
import { MalformedToken } from './read-attempt.ts';
import { TokenRenewal } from './renew.ts';
import { createTokenSeal } from './seal.ts';
import { TokenMemory, UNPACKED_BYTES } from './search/memory.ts';
import { createTokenSearch } from './search/search.ts';
import { createTokenSource, PAGE_TOKENS } from './search/source.ts';
import { createTokenStore } from './store.ts';
import type { ChallengeAsk, FaceTokens } from './tokens.ts';

const MIB = 1024 * 1024;
/** The evaluator addresses 4 GiB, a little of which it needs itself. */
const MOST_MEMORY_BYTES = 4_032 * MIB;

interface TokenSettings {
  /** Identity of the embedding model, as in the manifest. */
  modelIdentity: string;
  /** Mebibytes for unpacked tokens. */
  memoryMb: number;
  /** Maximum people of one customer. */
  maxPeople: number;
  /** A test changes these. */
  pollMs?: number | undefined;
  pageTokens?: number | undefined;
  packFrom?: number | undefined;
}

interface TokenNeighbors {
  keyHolder: KeyHolder;
  /** A given evaluator stays open. */
  evaluator?: Evaluator | undefined;
}

export function openFaceTokens(
  { database, sealer, clock, ids, log }: Pick<Core, 'database' | 'sealer' | 'clock' | 'ids' | 'log'>,
  settings: TokenSettings,
  { keyHolder, ...given }: TokenNeighbors,
): FaceTokens {
  const { maxPeople, pageTokens = PAGE_TOKENS, packFrom = PACK_FROM } = settings;
  const model = describeTokenModel(settings.modelIdentity);
  // Beside the memory there is room for the pages of galleries that do not fit.
  const pagesBytes = MAX_SEARCHES * pageTokens * UNPACKED_BYTES;
  const memoryBytes = Math.min(settings.memoryMb * MIB, MOST_MEMORY_BYTES - pagesBytes);
  const evaluator = given.evaluator ?? new Evaluator({ maxBytes: memoryBytes + pagesBytes });
  const people = createPeopleStore(database, sealer, log);
  const seals = createPeopleSeals(sealer, log);
  const seal = createTokenSeal(sealer);
  const store = createTokenStore(database, model.modelVersion, seal, seals);
  const blocks = createBlockStore(database, seal);
  const polynomialsOf = rememberEpochs();
  const memory = new TokenMemory({
    store,
    blocks,
    polynomialsOf,
    people,
    evaluator,
    log,
    maxBytes: memoryBytes,
    pollMs: settings.pollMs,
  });
  const source = createTokenSource({ store, blocks, polynomialsOf, memory, evaluator, pageTokens, log });
  const beginSearch = createTokenSearch({ people, source, evaluator, keyHolder, polynomialsOf, log });
  const galleryOf = (owner: Owner) => ensureGallery(people, { ids, clock }, { ...model, owner });
  const handles = createPersonHandles(database, sealer);
  const provisional = createProvisionalPeople({ database, store: people, clock, settleTokens: memory.settle });
  const eraseFreed = shareRuns(() => database.checkpoint());
  const shared = { people, store, evaluator, keyHolder, beginSearch, handles, model };
  const enrolments = new Enrolments({ ...shared, database, ensureGallery: galleryOf, maxPeople, clock, ids });
  const identify = createIdentify(shared);
  const renewal = new TokenRenewal({
    database,
    people,
    store,
    evaluator,
    keyHolder,
    clock,
    ids,
    eraseFreed,
    pageTokens,
  });
  const packAll = createPackAll({ database, people, store, blocks, evaluator, keyHolder, clock, ids, packFrom, log });
  const searches = new Limiter({
    maxRunning: MAX_SEARCHES,
    maxWaitingOfKey: MAX_WAITING_SEARCHES_OF_CUSTOMER,
    maxWaiting: MAX_WAITING_SEARCHES,
  });

  return {
    async openChallenge({ owner, vouchedBy, address, sessionSecret, ...ask }) {
      const vouched = vouchedBy && (await nameVoucher(owner, vouchedBy));
      const opened = await keyHolder.openChallenge({
        ...ask,
        customer: nameOf(owner),
        sessionHandle: createHmac('sha256', sessionSecret).update('limen audit session').digest('base64url'),
        address: sealer.digest('tokens/address', inWorld(owner, address)).toString('base64url'),
        ...(vouched && { vouched }),
      });
      return { ...opened, modelId: model.modelId };
    },
    enrol: (ask) => refuseMalformed(() => searches.run(() => enrolments.enrol(ask), { key: nameOf(ask.owner) })),
    identify: (ask) => refuseMalformed(() => searches.run(() => identify(ask), { key: nameOf(ask.owner) })),
    findPerson: store.findByPuid,
    async findPersonById(owner, personId) {
      const found = await store.findOwner(owner, personId);
      return found?.provisionalSession === null ? { personId, puid: found.puid, guid: found.guid } : undefined;
    },
    lockFor: provisional.lockFor,
    confirm: provisional.confirm,
    hold: provisional.hold,
    discard: provisional.discard,
    renewAll: (wanted, onProgress, signal) => renewal.run(wanted, onProgress, signal),
    packAll,
    galleryGuid: async (owner) => (await galleryOf(owner)).guid,
    checkRoom: async (owner) => checkRoom(await galleryOf(owner), maxPeople),
    settle: memory.settle,
    load: memory.load,
    state: memory.state,
    async close() {
      await memory.close();
      if (!given.evaluator) await evaluator.close();
    },
  };

  /** Undefined for somebody who was deleted meanwhile: they speak for nobody. */
  async function nameVoucher(
    owner: Owner,
    { personId, deviceId }: NonNullable<ChallengeAsk['vouchedBy']>,
  ): Promise<VouchingDevice | undefined> {
    const found = await store.findOwner(owner, personId);
    const person = await handles.ofPerson(personId);
    const device = await handles.ofDevice(personId, deviceId);
    if (!found || person === undefined || device === undefined) return undefined;
    return { person, device, isNew: clock.now() - found.createdAt < NEW_FOR_MS };
  }

  async function refuseMalformed<T>(work: () => Promise<T>): Promise<T | { kind: 'malformed' }> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof MalformedToken)) throw error;
      // Without the session: whoever reads the log shall not be able to open its link.
      log.warn({ reason: error.message }, 'a face token was refused');
      return { kind: 'malformed' };
    }
  }
}

/** What is tried in the test world never locks an address out of the live one. */
function inWorld({ world }: Owner, address: string): string {
  return world === 'live' ? address : `${world} ${address}`;
}
