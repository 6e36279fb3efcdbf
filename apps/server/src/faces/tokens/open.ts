// Puts the face tokens together: store, memory, evaluator, and the key-holder that decides.
import { createHmac } from 'node:crypto';
import { Evaluator } from '@limen/token/evaluator';
import { nameOf, type Owner } from '../../platform/api-keys/owner.ts';
import { Limiter } from '../../platform/async/limiter.ts';
import type { PersonId } from '../../platform/base/ids.ts';
import type { Core } from '../../platform/core.ts';
import { createProvisionalPeople } from '../galleries/store/provisional-people.ts';
import { NEW_FOR_MS } from '../keyholder/limits.ts';
import type { KeyHolder, VouchingDevice } from '../keyholder/link/calls.ts';
import { MAX_SEARCHES, MAX_WAITING_SEARCHES, MAX_WAITING_SEARCHES_OF_CUSTOMER } from '../limits.ts';
import { createPackAll } from './blocks/pack-all.ts';
import { Enrolments } from './enrol.ts';
import { createIdentify } from './identify.ts';
import { createTokenParts, describeTokenModel, type TokenParts } from './parts.ts';
import { MalformedToken } from './read-attempt.ts';
import { TokenRenewal } from './renew.ts';
import { TokenMemory, UNPACKED_BYTES } from './search/memory.ts';
import { createTokenSearch } from './search/search.ts';
import { createTokenSource, PAGE_TOKENS } from './search/source.ts';
import type {
  ChallengeAsk,
  EnrolAsk,
  EnrolOutcome,
  IdentifyAsk,
  IdentifyOutcome,
  RenewalProgress,
  TokenChallenge,
  WantedOwners,
} from './tokens.ts';

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

export type FaceTokens = ReturnType<typeof openFaceTokens>;

/** Calls pass on the key-holder's refusals (`Throttled`, `PersonLocked`, …) and may throw `QueueFullError`. */
export function openFaceTokens(
  core: Pick<Core, 'database' | 'sealer' | 'clock' | 'ids' | 'log'>,
  { modelIdentity, memoryMb, maxPeople, pollMs, pageTokens = PAGE_TOKENS, packFrom }: TokenSettings,
  { keyHolder, ...given }: TokenNeighbors,
) {
  // Beside the memory there is room for the pages of galleries that do not fit.
  const pagesBytes = MAX_SEARCHES * pageTokens * UNPACKED_BYTES;
  const maxBytes = Math.min(memoryMb * MIB, MOST_MEMORY_BYTES - pagesBytes);
  const evaluator = given.evaluator ?? new Evaluator({ maxBytes: maxBytes + pagesBytes });
  const parts = createTokenParts(core, { model: describeTokenModel(modelIdentity), evaluator, keyHolder });
  const { store } = parts;
  const memory = new TokenMemory(parts, { maxBytes, pollMs });
  const beginSearch = createTokenSearch(parts, createTokenSource(parts, memory, pageTokens));
  const enrolments = new Enrolments(parts, beginSearch, maxPeople);
  const identify = createIdentify(parts, beginSearch);
  const searches = new Limiter({
    maxRunning: MAX_SEARCHES,
    maxWaitingOfKey: MAX_WAITING_SEARCHES_OF_CUSTOMER,
    maxWaiting: MAX_WAITING_SEARCHES,
  });

  async function inTurn<T>({ owner }: EnrolAsk, work: () => Promise<T>): Promise<T | { kind: 'malformed' }> {
    try {
      return await searches.run(work, { key: nameOf(owner) });
    } catch (error) {
      if (!(error instanceof MalformedToken)) throw error;
      // Without the session: whoever reads the log shall not be able to open its link.
      core.log.warn({ reason: error.message }, 'a face token was refused');
      return { kind: 'malformed' };
    }
  }

  return {
    openChallenge: (ask: ChallengeAsk): Promise<TokenChallenge> => openChallenge(parts, ask),
    /** Finds the person whose face it is, or makes one who counts only for other enrolments until `confirm`. */
    enrol: (ask: EnrolAsk): Promise<EnrolOutcome> => inTurn(ask, () => enrolments.enrol(ask)),
    identify: (ask: IdentifyAsk): Promise<IdentifyOutcome> => inTurn(ask, () => identify(ask)),
    /** Finds a confirmed person with a token. */
    findPerson: store.findByPuid,
    /** Finds one by the id of the row, as devices and passkeys have it. */
    async findPersonById(owner: Owner, personId: PersonId) {
      const found = await store.findOwner(owner, personId);
      return found?.provisionalSession === null ? { personId, puid: found.puid, guid: found.guid } : undefined;
    },
    ...createProvisionalPeople({ ...core, store: parts.people, settleTokens: memory.settle }),
    /** Moves every token to a new key; begins where an earlier run stopped. */
    renewAll: (wanted: WantedOwners, onProgress: (progress: RenewalProgress) => void, signal: AbortSignal) =>
      new TokenRenewal(parts, pageTokens, onProgress, signal).run(wanted),
    /** Puts people who are in no block into blocks, where there are many; how many blocks were made. */
    packAll: createPackAll(parts, packFrom),
    /** Throws `store_full` when nobody new can be enrolled. */
    checkRoom: enrolments.checkRoom,
    /** Makes the gallery when there is none. */
    galleryGuid: async (owner: Owner) => (await enrolments.galleryOf(owner)).guid,
    /** After a person was deleted: resolves when this process's memory has none of their tokens. */
    settle: memory.settle,
    /** Reads what is there, in the background; searches that come meanwhile wait for what they need. */
    load: memory.load,
    /** Returns what it is still doing, or `ready`. */
    state: memory.state,
    async close() {
      await memory.close();
      if (!given.evaluator) await evaluator.close();
    },
  };
}

async function openChallenge(parts: TokenParts, ask: ChallengeAsk): Promise<TokenChallenge> {
  const { owner, vouchedBy, address, sessionSecret, ...rest } = ask;
  const vouched = vouchedBy && (await nameVoucher(parts, owner, vouchedBy));
  const opened = await parts.keyHolder.openChallenge({
    ...rest,
    customer: nameOf(owner),
    sessionHandle: createHmac('sha256', sessionSecret).update('limen audit session').digest('base64url'),
    address: parts.sealer.digest('tokens/address', inWorld(owner, address)).toString('base64url'),
    ...(vouched && { vouched }),
  });
  return { ...opened, modelId: parts.model.modelId };
}

/** Undefined for somebody who was deleted meanwhile: they speak for nobody. */
async function nameVoucher(
  { store, handles, clock }: TokenParts,
  owner: Owner,
  { personId, deviceId }: NonNullable<ChallengeAsk['vouchedBy']>,
): Promise<VouchingDevice | undefined> {
  const found = await store.findOwner(owner, personId);
  const person = await handles.ofPerson(personId);
  const device = await handles.ofDevice(personId, deviceId);
  if (!found || person === undefined || device === undefined) return undefined;
  return { person, device, isNew: clock.now() - found.createdAt < NEW_FOR_MS };
}

/** What is tried in the test world never locks an address out of the live one. */
function inWorld({ world }: Owner, address: string): string {
  return world === 'live' ? address : `${world} ${address}`;
}
