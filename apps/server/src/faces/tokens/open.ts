// Assembles the face tokens: store, memory, evaluator, and the key-holder that decides.
import { createHmac } from 'node:crypto';
import { Evaluator } from '@limen/token/evaluator';
import { formatOwner, type Owner } from '../../platform/api-keys/owner.ts';
import { Limiter } from '../../platform/async/limiter.ts';
import type { PersonId } from '../../platform/base/ids.ts';
import type { Core } from '../../platform/core.ts';
import { createProvisionalPeople } from '../galleries/store/provisional-people.ts';
import { NEW_FOR_MS } from '../keyholder/limits.ts';
import type { KeyHolder, VouchingDevice } from '../keyholder/link/calls.ts';
import { MAX_SEARCHES, MAX_WAITING_SEARCHES, MAX_WAITING_SEARCHES_OF_CUSTOMER } from '../limits.ts';
import { createPackAll } from './blocks/pack-all.ts';
import { Enrollments } from './enrol.ts';
import { createIdentify } from './identify.ts';
import { createTokenParts, describeTokenModel, MalformedTokenError, type TokenParts } from './parts.ts';
import { TokenRenewal } from './renew.ts';
import { TokenMemory, UNPACKED_BYTES } from './search/memory.ts';
import { createTokenSearch, createTokenSource, PAGE_TOKENS } from './search/search.ts';
import type {
  ChallengeAsk,
  EnrollAsk,
  EnrollOutcome,
  GalleryOwnerFilter,
  IdentifyAsk,
  IdentifyOutcome,
  RenewalProgress,
} from './tokens.ts';

const MIB = 1024 * 1024;
/** The evaluator addresses 4 GiB and needs a little of it itself. */
const MOST_MEMORY_BYTES = 4_032 * MIB;

interface TokenSettings {
  modelIdentity: string;
  /** Mebibytes for unpacked tokens. */
  memoryMb: number;
  maxPeople: number;
  pollMs?: number | undefined;
  pageTokens?: number | undefined;
  packFrom?: number | undefined;
}

export type FaceTokens = ReturnType<typeof openFaceTokens>;

/** Calls pass on the key-holder's refusals (`ThrottledError`, `PersonLockedError`, …) and may throw `QueueFullError`. */
export function openFaceTokens(
  core: Pick<Core, 'database' | 'sealer' | 'clock' | 'ids' | 'log'>,
  { modelIdentity, memoryMb, maxPeople, pollMs, pageTokens = PAGE_TOKENS, packFrom }: TokenSettings,
  /** A given evaluator stays open. */
  { keyHolder, ...options }: { keyHolder: KeyHolder; evaluator?: Evaluator | undefined },
) {
  // In addition to the memory, there is room for pages of galleries that do not fit.
  const pagesBytes = MAX_SEARCHES * pageTokens * UNPACKED_BYTES;
  const maxBytes = Math.min(memoryMb * MIB, MOST_MEMORY_BYTES - pagesBytes);
  const evaluator = options.evaluator ?? new Evaluator({ maxBytes: maxBytes + pagesBytes });
  const parts = createTokenParts(core, { model: describeTokenModel(modelIdentity), evaluator, keyHolder });
  const { store } = parts;
  const memory = new TokenMemory(parts, { maxBytes, pollMs });
  const beginSearch = createTokenSearch(parts, createTokenSource(parts, memory, pageTokens));
  const enrollments = new Enrollments(parts, beginSearch, maxPeople);
  const identify = createIdentify(parts, beginSearch);
  const searches = new Limiter({
    maxRunning: MAX_SEARCHES,
    maxWaitingOfKey: MAX_WAITING_SEARCHES_OF_CUSTOMER,
    maxWaiting: MAX_WAITING_SEARCHES,
  });

  async function inTurn<T>({ owner }: EnrollAsk, work: () => Promise<T>): Promise<T | { kind: 'malformed' }> {
    try {
      return await searches.run(work, { key: formatOwner(owner) });
    } catch (error) {
      if (!(error instanceof MalformedTokenError)) throw error;
      // Without the session: a reader of the log must not be able to open its link.
      core.log.warn({ reason: error.message }, 'a face token was refused');
      return { kind: 'malformed' };
    }
  }

  return {
    openChallenge: (ask: ChallengeAsk) => openChallenge(parts, ask),
    enrol: (ask: EnrollAsk): Promise<EnrollOutcome> => inTurn(ask, () => enrollments.enrol(ask)),
    identify: (ask: IdentifyAsk): Promise<IdentifyOutcome> => inTurn(ask, () => identify(ask)),
    findPerson: store.findByPuid,
    async findPersonById(owner: Owner, personId: PersonId) {
      const found = await store.findOwner(owner, personId);
      return found?.provisionalSession === null ? { personId, puid: found.puid, guid: found.guid } : undefined;
    },
    ...createProvisionalPeople({ ...core, store: parts.people, settleTokens: memory.settle }),
    /** Moves every token to a new key. Continues an interrupted run. */
    renewAll: (wanted: GalleryOwnerFilter, onProgress: (progress: RenewalProgress) => void, signal: AbortSignal) =>
      new TokenRenewal(parts, pageTokens, onProgress, signal).run(wanted),
    packAll: createPackAll(parts, packFrom),
    checkRoom: enrollments.checkRoom,
    galleryGuid: async (owner: Owner) => (await enrollments.galleryOf(owner)).guid,
    /** Resolves when this process's memory has no token of people deleted before the call. */
    settle: memory.settle,
    /** Reads tokens in the background; searches wait only for what they need. */
    load: memory.load,
    state: memory.state,
    async close() {
      await memory.close();
      if (!options.evaluator) await evaluator.close();
    },
  };
}

async function openChallenge(parts: TokenParts, ask: ChallengeAsk) {
  const { owner, vouchedBy, address, sessionSecret, ...rest } = ask;
  const vouched = vouchedBy && (await nameVoucher(parts, owner, vouchedBy));
  const opened = await parts.keyHolder.openChallenge({
    ...rest,
    customer: formatOwner(owner),
    sessionHandle: createHmac('sha256', sessionSecret).update('limen audit session').digest('base64url'),
    // Attempts in the test world never lock an address out of the live one.
    address: parts.sealer
      .digest('tokens/address', owner.world === 'live' ? address : `${owner.world} ${address}`)
      .toString('base64url'),
    ...(vouched && { vouched }),
  });
  return { ...opened, modelId: parts.model.modelId };
}

/** Returns undefined if the person was deleted since. */
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
