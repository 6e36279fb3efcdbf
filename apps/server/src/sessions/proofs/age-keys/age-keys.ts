// Age keys: passkeys that prove an earlier age check. Hosts learn what a key proves, never which key it was.
import { randomBytes } from 'node:crypto';
import { formatOwner, type Owner } from '../../../platform/api-keys/owner.ts';
import { inBatches } from '../../../platform/base/batches.ts';
import { AppError } from '../../../platform/base/errors.ts';
import type { World } from '../../../platform/base/world.ts';
import type { Context } from '../../../platform/context.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import { defineRecurringJob } from '../../../platform/jobs/job.ts';
import { isSameText } from '../../../platform/sealing/same-text.ts';
import type { Ceremony, NewCredential } from '../../../platform/webauthn/ceremony.ts';
import type { FindEmbedders } from '../../lifecycle/embedders.ts';
import type { EarnedAge } from '../../lifecycle/kinds.ts';
import { AGE_KEY_DELETION_TTL_MS, AGE_KEYS_PER_HOUR } from '../../limits.ts';
import { type AgeKeyDemand, type AgeKeyScope, countUse, endOfHour, judgeAgeKey } from './rules.ts';
import { type AgeKeyMaker, type AgeKeyStore, createAgeKeyStore } from './store.ts';

/** Binds a challenge to one attempt, so that each answer is accepted once. */
interface AgeKeyBinding {
  sessionId: string;
  attempt: number;
}

interface AgeKeyParts extends Pick<Context, 'sealer' | 'clock' | 'log'> {
  scope: AgeKeyScope;
  store: AgeKeyStore;
  ceremony: Ceremony;
  embedders: FindEmbedders;
}

const DELETION_HEAD_BYTES = 8 + 16;

export class AgeKeys {
  readonly #parts: AgeKeyParts;
  /** Outcomes since the start. Each limit starts at zero, because alerts look for an increase. */
  readonly counts = new Map<string, number>(Object.keys(AGE_KEYS_PER_HOUR).map((limit) => [`limited_by_${limit}`, 0]));
  readonly isOn: boolean;

  constructor(parts: AgeKeyParts) {
    this.#parts = parts;
    this.isOn = parts.scope !== 'off';
  }

  async registrationOptions(
    binding: AgeKeyBinding,
    { world, ageOver, maker }: { world: World; ageOver: number; maker: AgeKeyMaker },
  ) {
    const { clock, store, ceremony } = this.#parts;
    const now = clock.now();
    const reached = await store.findReachedLimit(maker, now);
    if (reached) {
      this.#reportLimit(reached, maker);
      const seconds = Math.ceil((endOfHour(now) - now) / 1000);
      throw new AppError('too_many_requests', `Too many age keys were made in this hour; try again in ${seconds} s.`, {
        headers: { 'retry-after': String(seconds) },
      });
    }
    // Browsers list the label, so that people can tell the key from other passkeys of this address.
    const label = `Age key ${ageOver}+${world === 'test' ? ' (test)' : ''}`;
    return ceremony.registrationOptions(this.#challengeOf('make', binding), label);
  }

  async verifyRegistration(binding: AgeKeyBinding, response: unknown) {
    const made = await this.#parts.ceremony.verifyRegistration(this.#challengeOf('make', binding), response);
    if (!('refused' in made)) return made;
    this.#refuse('not_made', made.refused);
    return undefined;
  }

  /** Returns false if the credential has a key already, or the maker has reached a limit of this hour. */
  async add(
    trx: Transaction,
    { credentialId, publicKey, counter }: NewCredential,
    earned: EarnedAge,
    { owner, ...maker }: AgeKeyMaker & { owner: Owner },
  ) {
    const { clock, store } = this.#parts;
    const reached = await store.countMaking(trx, maker, clock.now());
    if (reached) {
      this.#reportLimit(reached, maker);
      return false;
    }
    const minted = store.mintOf(maker.apiKeyId, earned.month);
    const key = { ...earned, customer: this.#customerOf(owner), minted, publicKey, counter };
    const added = await store.insert(trx, owner.world, credentialId, key);
    if (added) this.#count('made');
    return added;
  }

  assertionOptions(binding: AgeKeyBinding) {
    return this.#parts.ceremony.assertionOptions(this.#challengeOf('use', binding));
  }

  /** Counts a use only if the key is good for the demand. `from: any` also accepts keys of other customers. */
  async use(
    binding: AgeKeyBinding,
    { owner, from, ...demand }: AgeKeyDemand & { owner: Owner; from?: 'any' | undefined },
    response: unknown,
  ) {
    const { clock, store, scope, ceremony, embedders } = this.#parts;
    const now = clock.now();
    const asserted = await ceremony.verifyAssertion(
      this.#challengeOf('use', binding),
      response,
      (credentialId) => this.#findKnown(owner.world, credentialId),
      await embedders(binding.sessionId),
    );
    if ('refused' in asserted) {
      return this.#refuse(asserted.refused === 'unknown credential' ? 'not_known' : 'not_valid', asserted.refused);
    }
    const { record } = asserted.known;
    const { counter } = asserted;
    const isForeign = record.key.customer !== this.#customerOf(owner) && !(scope === 'all' && from === 'any');
    const refusal = isForeign ? 'not_known' : judgeAgeKey(record.key, demand, now);
    const uses = refusal ? undefined : countUse(record.key.uses, now);
    // The counter moves in any case. A concurrent use with the same counter matches no row.
    const changed = { ...record.key, counter, ...(uses && { uses }) };
    if (!(await store.change(record, changed))) return this.#refuse('not_valid', 'counter');
    if (refusal) return this.#refuse(refusal, isForeign ? 'another customer' : refusal);
    if (!uses) return this.#refuse('too_often');
    this.#count('used');
    const { ageOver, method, month } = record.key;
    return { proven: { ageOver, method, month } };
  }

  deletionOptions() {
    const { sealer, clock, ceremony } = this.#parts;
    // The challenge needs no row: it holds its end, random bytes, and a keyed digest of both.
    const head = randomBytes(DELETION_HEAD_BYTES);
    head.writeBigUInt64BE(BigInt(clock.now() + AGE_KEY_DELETION_TTL_MS));
    return ceremony.assertionOptions(Buffer.concat([head, sealer.digest('age_keys/deletion', head)]));
  }

  async delete(response: unknown): Promise<'deleted' | 'not_known' | 'refused'> {
    const { ceremony, store } = this.#parts;
    const challenge = this.#readDeletion(response);
    if (!challenge) return this.#refuseDeletion('form');
    const asserted = await ceremony.verifyAssertion(challenge, response, async (credentialId) => {
      return (await this.#findKnown('live', credentialId)) ?? this.#findKnown('test', credentialId);
    });
    if ('refused' in asserted) {
      return asserted.refused === 'unknown credential' ? 'not_known' : this.#refuseDeletion(asserted.refused);
    }
    if (!(await store.remove(asserted.known.record))) return 'not_known';
    this.#count('deleted');
    return 'deleted';
  }

  #challengeOf(operation: 'make' | 'use', { sessionId, attempt }: AgeKeyBinding) {
    return this.#parts.sealer.digest('age_keys/challenge', [operation, sessionId, attempt].join('\n'));
  }

  #customerOf(owner: Owner) {
    return this.#parts.sealer.digest('age_keys/customer', formatOwner(owner)).toString('base64url');
  }

  async #findKnown(world: World, credentialId: string) {
    const record = await this.#parts.store.find(world, credentialId, this.#parts.clock.now());
    if (!record) return undefined;
    const { publicKey, counter } = record.key;
    return { record, credentialId, publicKey: Buffer.from(publicKey, 'base64url'), counter };
  }

  #readDeletion(response: unknown): Buffer | undefined {
    const { sealer, clock } = this.#parts;
    const challenge = challengeIn(response);
    const head = challenge?.subarray(0, DELETION_HEAD_BYTES);
    if (!challenge || head?.length !== DELETION_HEAD_BYTES) return undefined;
    const mark = challenge.subarray(head.length).toString('base64url');
    if (!isSameText(mark, sealer.digest('age_keys/deletion', head).toString('base64url'))) return undefined;
    return head.readBigUInt64BE() > BigInt(clock.now()) ? challenge : undefined;
  }

  #count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }

  /** Logs the API key, whose age keys an operator can revoke, and never the address. */
  #reportLimit(limit: keyof typeof AGE_KEYS_PER_HOUR, { apiKeyId }: AgeKeyMaker): void {
    this.#count(`limited_by_${limit}`);
    this.#parts.log.warn({ key: apiKeyId, reason: limit }, 'no more age keys are made in this hour');
  }

  /** Logs neither the session nor the key: the log must not show who visited which site. */
  #refuse<Refusal extends string>(refused: Refusal, reason: string = refused): { refused: Refusal } {
    this.#count(refused);
    this.#parts.log.info({ reason }, 'an age key was refused');
    return { refused };
  }

  #refuseDeletion(reason: string): 'refused' {
    this.#refuse('not_deleted', reason);
    return 'refused';
  }
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

const BATCH = 100;
const purgeAgeKeys = defineRecurringJob('age_keys.purge', 60 * 60_000);

export function openAgeKeys(context: Context, parts: Pick<AgeKeyParts, 'scope' | 'ceremony' | 'embedders'>): AgeKeys {
  const { database, sealer, jobs, metrics, clock } = context;
  const store = createAgeKeyStore(database, sealer);
  const ageKeys = new AgeKeys({ ...context, ...parts, store });
  jobs.handle(purgeAgeKeys, (_payload, { signal }) => inBatches(signal, BATCH, () => store.purge(clock.now(), BATCH)));
  metrics.addCounters('limen_age_keys_total', 'Age keys, by what became of them.', 'outcome', () => ageKeys.counts);
  return ageKeys;
}
