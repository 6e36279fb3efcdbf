// Age keys: passkeys that prove an earlier age check. Made at the end of one, used in place of another, deleted by the person who
// holds them. A key counts for the customer whose session earned it, or for others too (AGE_KEYS). A host learns what a key proves,
// and never which key it was.
import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { nameOf, type Owner } from '../../../platform/api-keys/owner.ts';
import type { Clock } from '../../../platform/base/clock.ts';
import { AppError } from '../../../platform/base/errors.ts';
import type { World } from '../../../platform/base/world.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import { isSameText } from '../../../platform/sealing/same-text.ts';
import type { Sealer } from '../../../platform/sealing/sealer.ts';
import type { Ceremony, NewCredential } from '../../../platform/webauthn/ceremony.ts';
import type { Embedders } from '../../lifecycle/embedders.ts';
import type { EarnedAge } from '../../lifecycle/kinds.ts';
import { AGE_KEY_DELETION_TTL_MS } from '../../limits.ts';
import {
  type AgeKeyDemand,
  type AgeKeyScope,
  countUse,
  endOfHour,
  judgeAgeKey,
  MADE_PER_HOUR,
  type MakingLimit,
} from './rules.ts';
import type { AgeKeyMaker, AgeKeyStore } from './store.ts';

/** What a challenge is made of; of another session or attempt it is another challenge. */
interface AgeKeyBinding {
  sessionId: string;
  /** Counts the options given out for it, so that no answer is good twice. */
  attempt: number;
}

/** A session's side of a use: who asks, and for what. */
interface AgeKeyAsker extends AgeKeyDemand {
  owner: Owner;
  /** `any` accepts the keys of other customers, where the service allows it. */
  from?: 'any' | undefined;
}

type AgeKeyDeletion = 'deleted' | 'not_known' | 'refused';

interface AgeKeysOptions {
  scope: AgeKeyScope;
  store: AgeKeyStore;
  sealer: Sealer;
  ceremony: Ceremony;
  embedders: Embedders;
  clock: Clock;
  log: Logger;
}

const DELETION_NONCE_BYTES = 16;
const WORLDS: readonly World[] = ['live', 'test'];

type Operation = 'make' | 'use';

export function createAgeKeys({ scope, store, sealer, ceremony, embedders, clock, log }: AgeKeysOptions) {
  // From zero on: an alert looks for their increase, which a counter that begins at one does not show.
  const counts = new Map<string, number>(Object.keys(MADE_PER_HOUR).map((limit) => [`limited_by_${limit}`, 0]));
  const challengeOf = (operation: Operation, { sessionId, attempt }: AgeKeyBinding) =>
    sealer.digest('age_keys/challenge', [operation, sessionId, attempt].join('\n'));
  const customerOf = (owner: Owner) => sealer.digest('age_keys/customer', nameOf(owner)).toString('base64url');

  return {
    /** Whether keys are made and accepted at all. */
    isOn: scope !== 'off',

    /** Throws TooManyRequests if the maker has reached a limit of this hour. */
    async registrationOptions(
      binding: AgeKeyBinding,
      { world, ageOver, maker }: { world: World; ageOver: number; maker: AgeKeyMaker },
    ) {
      const now = clock.now();
      const reached = await store.findReachedLimit(maker, now);
      if (reached) {
        reportLimit(reached, maker);
        const seconds = Math.ceil((endOfHour(now) - now) / 1000);
        throw new AppError(
          'too_many_requests',
          `Too many age keys were made in this hour; try again in ${seconds} s.`,
          {
            headers: { 'retry-after': String(seconds) },
          },
        );
      }
      return ceremony.registrationOptions(challengeOf('make', binding), labelOf(world, ageOver));
    },

    /** Undefined when it is refused, and the log says why. */
    async verifyRegistration(binding: AgeKeyBinding, response: unknown) {
      const made = await ceremony.verifyRegistration(challengeOf('make', binding), response);
      if (!('refused' in made)) return made;
      refuse('not_made', made.refused);
      return undefined;
    },

    /** False when there is a key for this credential already, or the maker has reached a limit of this hour. */
    async add(
      trx: Transaction,
      { credentialId, publicKey, counter }: NewCredential,
      earned: EarnedAge,
      { owner, ...maker }: AgeKeyMaker & { owner: Owner },
    ) {
      const reached = await store.countMaking(trx, maker, clock.now());
      if (reached) {
        reportLimit(reached, maker);
        return false;
      }
      const minted = store.mintOf(maker.apiKeyId, earned.month);
      const key = { ...earned, customer: customerOf(owner), minted, publicKey, counter };
      const added = await store.insert(trx, owner.world, credentialId, key);
      if (added) count('made');
      return added;
    },

    assertionOptions: (binding: AgeKeyBinding) => ceremony.assertionOptions(challengeOf('use', binding)),

    /** Counts as a use of the key only where it is good for what is asked. */
    async use(binding: AgeKeyBinding, { owner, from, ...demand }: AgeKeyAsker, response: unknown) {
      const now = clock.now();
      const asserted = await ceremony.verifyAssertion(
        challengeOf('use', binding),
        response,
        (credentialId) => findKnown(owner.world, credentialId),
        await embedders(binding.sessionId),
      );
      if ('refused' in asserted) {
        return refuse(asserted.refused === 'unknown credential' ? 'not_known' : 'not_valid', asserted.refused);
      }
      const { record } = asserted.known;
      const { counter } = asserted;
      const isForeign = record.key.customer !== customerOf(owner) && !(scope === 'all' && from === 'any');
      const refusal = isForeign ? 'not_known' : judgeAgeKey(record.key, demand, now);
      const uses = refusal ? undefined : countUse(record.key.uses, now);
      // The authenticator's counter moves on in any case; of two with one counter the second finds no row.
      const changed = { ...record.key, counter, ...(uses && { uses }) };
      if (!(await store.change(record, changed))) return refuse('not_valid', 'counter');
      if (refusal) return refuse(refusal, isForeign ? 'another customer' : refusal);
      if (!uses) return refuse('too_often');
      count('used');
      const { ageOver, method, month } = record.key;
      return { proven: { ageOver, method, month } };
    },

    /** Returns the options with which a key's holder deletes it outside of any session. */
    deletionOptions: () => ceremony.assertionOptions(drawDeletion()),

    /** Deletes a key of either world. */
    async delete(response: unknown): Promise<AgeKeyDeletion> {
      const challenge = readDeletion(response);
      if (!challenge) return refuseDeletion('form');
      const asserted = await ceremony.verifyAssertion(challenge, response, async (credentialId) => {
        const found = await Promise.all(WORLDS.map((world) => findKnown(world, credentialId)));
        return found.find((known) => known !== undefined);
      });
      if ('refused' in asserted) {
        return asserted.refused === 'unknown credential' ? 'not_known' : refuseDeletion(asserted.refused);
      }
      if (!(await store.remove(asserted.known.record))) return 'not_known';
      count('deleted');
      return 'deleted';
    },

    /** Deletes at most `limit` keys that have ended; returns how many. */
    purge: (limit: number) => store.purge(clock.now(), limit),
    /** Deletes the counts of keys that were made in past hours. */
    purgeCounts: () => store.purgeCounts(clock.now()),
    /** Since the start, by what became of them. */
    counts: () => counts,
  };

  async function findKnown(world: World, credentialId: string) {
    const record = await store.find(world, credentialId, clock.now());
    if (!record) return undefined;
    const { publicKey, counter } = record.key;
    return { record, credentialId, publicKey: Buffer.from(publicKey, 'base64url'), counter };
  }

  /** A challenge that needs no row: when it ends, something drawn, and our own mark over both. */
  function drawDeletion(): Buffer {
    const head = Buffer.alloc(8 + DELETION_NONCE_BYTES);
    head.writeBigUInt64BE(BigInt(clock.now() + AGE_KEY_DELETION_TTL_MS));
    randomBytes(DELETION_NONCE_BYTES).copy(head, 8);
    return Buffer.concat([head, sealer.digest('age_keys/deletion', head)]);
  }

  /** The challenge that an answer names, where we gave it out and its time is not over. */
  function readDeletion(response: unknown): Buffer | undefined {
    const challenge = challengeIn(response);
    const head = challenge?.subarray(0, 8 + DELETION_NONCE_BYTES);
    if (!challenge || head?.length !== 8 + DELETION_NONCE_BYTES) return undefined;
    const mark = challenge.subarray(head.length).toString('base64url');
    if (!isSameText(mark, sealer.digest('age_keys/deletion', head).toString('base64url'))) return undefined;
    return head.readBigUInt64BE() > BigInt(clock.now()) ? challenge : undefined;
  }

  function count(what: string): void {
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }

  /** Names the API key, by which an operator can end what it made; never the address. */
  function reportLimit(limit: MakingLimit, { apiKeyId }: AgeKeyMaker): void {
    count(`limited_by_${limit}`);
    log.warn({ key: apiKeyId, reason: limit }, 'no more age keys are made in this hour');
  }

  /** Without the session, and without the key: whoever reads the log shall not be able to tell who came where. */
  function refuse<Refusal extends string>(refused: Refusal, reason: string = refused): { refused: Refusal } {
    count(refused);
    log.info({ reason }, 'an age key was refused');
    return { refused };
  }

  function refuseDeletion(reason: string): 'refused' {
    refuse('not_deleted', reason);
    return 'refused';
  }
}

export type AgeKeys = ReturnType<typeof createAgeKeys>;

/** As the browser lists it, so that people know it from other passkeys of this address. */
function labelOf(world: World, ageOver: number): string {
  return `Age key ${ageOver}+${world === 'test' ? ' (test)' : ''}`;
}

function challengeIn(response: unknown): Buffer | undefined {
  try {
    const { clientDataJSON } = (response as { response: { clientDataJSON: string } }).response;
    const { challenge } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString());
    return typeof challenge === 'string' ? Buffer.from(challenge, 'base64url') : undefined;
  } catch {
    return undefined;
  }
}
