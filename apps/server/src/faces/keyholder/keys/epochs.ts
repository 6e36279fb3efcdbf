// The key-holder's keys: its identity, and the enrollment keys of customers, with the previous epoch during a renewal.
import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import * as maths from '@limen/token/keyholder';
import { BLOCK_PEOPLE, BODY_BYTES, MASKED_BYTES, rememberEpochs } from '@limen/token/shared';
import type { Audit } from '../audit/log.ts';
import { CHALLENGE_TTL_MS } from '../limits.ts';
import { type EpochRotation, type PackedBlocks, UnknownEpochError } from '../link/calls.ts';
import type { KeyHolderStore, RowCount, Rows } from '../store/store.ts';
import type { BudgetUse, HourlyBudgets } from '../throttle/hourly-budgets.ts';

const REST_POLL_MS = 50;
const ID_BYTES = 16;

interface EpochsOptions {
  store: KeyHolderStore;
  audit: Audit;
  budgets: HourlyBudgets;
  makeKeyPair: typeof maths.makeKeyPair;
  stopping: AbortSignal;
}

interface EpochRow {
  epoch: string;
}

export function randomId(): string {
  return randomBytes(ID_BYTES).toString('base64url');
}

const keyName = (customer: string, epoch: string) => `${epoch} ${customer}`;
const sealPlace = (customer: string, epoch: string) => `enrol_keys/secret/${customer}/${epoch}`;

export class Epochs {
  readonly #options: EpochsOptions;
  readonly #opened = new OpenKeys(maths.wipeKey);
  readonly polynomialsOf = rememberEpochs();

  constructor(options: EpochsOptions) {
    this.#options = options;
  }

  /** Runs `work` with the key of an epoch, which is not wiped until `work` ends. */
  async use<T>(customer: string, epoch: string, work: (key: maths.SecretKey) => T | Promise<T>): Promise<T> {
    const name = keyName(customer, epoch);
    // Read each time: another process may have retired the key.
    const sealed = await this.#findSecret(customer, epoch);
    if (!sealed) {
      this.#opened.close(name);
      throw new UnknownEpochError('there is no key of this epoch');
    }
    return this.#opened.use(name, () => this.#openSecret(sealed, sealPlace(customer, epoch)), work);
  }

  readonly close = () => this.#opened.closeAll();

  async sweep(): Promise<void> {
    for (const name of this.#opened.names()) {
      const space = name.indexOf(' ');
      if (!(await this.#findSecret(name.slice(space + 1), name.slice(0, space)))) this.#opened.close(name);
    }
  }

  /** Returns the present epoch, made if there is none. Records the enrollment, so that a rotation waits for it. */
  async enrolling(customer: string, challenge: string, forMs: number): Promise<string> {
    const { store } = this.#options;
    if (!(await store.read((rows) => findPresent(rows, customer)))) await this.#makeFirst(customer);
    return store.transact(async (rows) => {
      const epoch = (await findPresent(rows, customer))!;
      await rows.run`delete from enrolments where until < ${rows.now}`;
      await rows.run`insert into enrolments (challenge, customer, epoch, until) values (${challenge}, ${customer}, ${epoch}, ${rows.now + forMs})`;
      return epoch;
    });
  }

  async enrolled(rows: Rows, challenge: string): Promise<void> {
    await rows.run`delete from enrolments where challenge = ${challenge}`;
  }

  async rotate(customer: string): Promise<EpochRotation> {
    const { store, makeKeyPair, stopping: signal } = this.#options;
    const { secret } = await makeKeyPair();
    const rotation = await store
      .transact((rows) => this.#beginRotation(rows, customer, secret))
      .finally(() => secret.fill(0));
    while (await store.read((rows) => isBusy(rows, customer, rotation.from)))
      await sleep(REST_POLL_MS, undefined, { signal });
    return rotation;
  }

  async retire(customer: string, epoch: string): Promise<void> {
    const { store, audit } = this.#options;
    await store.transact(async (rows) => {
      const changes =
        await rows.run`delete from enrol_keys where customer = ${customer} and epoch = ${epoch} and present = 0`;
      if (changes === 0) throw new UnknownEpochError('there is no epoch to retire by this name');
      await audit.write(rows, { customer, outcome: 'retired', epoch });
    });
    this.#opened.close(keyName(customer, epoch));
    await store.eraseFreed();
  }

  async renew(customer: string, from: string, to: string, masked: Uint8Array[]): Promise<Uint8Array[]> {
    if (masked.some((body) => body.length !== MASKED_BYTES)) throw new RangeError('a body has another length');
    const { store, audit } = this.#options;
    const renewed: Uint8Array[] = [];
    await this.use(customer, from, (oldKey) =>
      this.use(customer, to, async (newKey) => {
        for (const body of masked) renewed.push(await maths.reencrypt(body, oldKey, newKey));
      }),
    );
    const entry = { customer, outcome: 'renewed', epoch: to, rows: masked.length } as const;
    await store.transact((rows) => audit.write(rows, entry));
    return renewed;
  }

  async pack(customer: string, epoch: string, masked: Uint8Array[], balances: Uint8Array[]): Promise<PackedBlocks> {
    if (masked.some((body) => body.length !== BODY_BYTES)) throw new RangeError('a body has another length');
    if (masked.length % BLOCK_PEOPLE !== 0) throw new RangeError('a block has four people');
    if (balances.length !== masked.length) throw new RangeError('every body has its balance');
    const { store, audit, budgets } = this.#options;
    const blocks: Uint8Array[] = [];
    const polynomials = await this.polynomialsOf(epoch);
    let unbalanced = -1;
    await this.use(customer, epoch, async (key) => {
      unbalanced = balances.findIndex((balance) => !maths.checkBalance(balance, key));
      // Also if a body is out of balance: once the answers are used up, the time must not reveal it.
      for (let at = 0; at < masked.length; at += BLOCK_PEOPLE) {
        blocks.push(maths.packBlock(masked.slice(at, at + BLOCK_PEOPLE), key, polynomials));
        // Each block takes two or three milliseconds; other calls get their turn.
        await nextTurn();
      }
    });
    const answer: BudgetUse[] = [{ budget: 'sign_in', subject: customer }];
    await store.transact(async (rows) => {
      // Checked for every result: with the answers used up, both results look alike.
      await budgets.check(rows, answer);
      if (unbalanced >= 0) await budgets.count(rows, answer);
      const outcome = unbalanced >= 0 ? 'unbalanced' : 'packed';
      await audit.write(rows, { customer, outcome, epoch, rows: masked.length });
    });
    return unbalanced >= 0 ? { unbalanced } : { blocks };
  }

  #findSecret(customer: string, epoch: string): Promise<Uint8Array | undefined> {
    return this.#options.store.read(async (rows) => {
      const row = await rows.get<{
        secret: Uint8Array;
      }>`select secret from enrol_keys where customer = ${customer} and epoch = ${epoch}`;
      return row?.secret;
    });
  }

  async #insertKey(rows: Rows, customer: string, secret: Uint8Array): Promise<string> {
    const epoch = randomId();
    const sealed = this.#options.store.sealer.seal(secret, sealPlace(customer, epoch));
    await rows.run`insert into enrol_keys (customer, epoch, secret, present, created_at) values (${customer}, ${epoch}, ${sealed}, 1, ${rows.now})`;
    return epoch;
  }

  async #openSecret(sealed: Uint8Array, place: string): Promise<maths.SecretKey> {
    const secret = this.#options.store.sealer.open(sealed, place);
    try {
      return await maths.openKey(secret);
    } finally {
      secret.fill(0);
    }
  }

  /** Drops the public half: only the key-holder encrypts under the key. */
  async #makeFirst(customer: string): Promise<void> {
    const { store, audit, makeKeyPair } = this.#options;
    const { secret } = await makeKeyPair();
    try {
      await store.transact(async (rows) => {
        if (await findPresent(rows, customer)) return; // another call or process was faster
        const epoch = await this.#insertKey(rows, customer, secret);
        await audit.write(rows, { customer, outcome: 'key_made', epoch });
      });
    } finally {
      secret.fill(0);
    }
  }

  /** Returns the running rotation if there is one, so that an interrupted renewal continues. */
  async #beginRotation(rows: Rows, customer: string, secret: Uint8Array): Promise<EpochRotation> {
    const present = await findPresent(rows, customer);
    if (present === undefined) throw new UnknownEpochError('the customer has no key yet');
    const before =
      await rows.get<EpochRow>`select epoch from enrol_keys where customer = ${customer} and present = 0 order by created_at`;
    if (before) return { from: before.epoch, to: present };
    await rows.run`update enrol_keys set present = 0 where customer = ${customer}`;
    const to = await this.#insertKey(rows, customer, secret);
    await this.#options.audit.write(rows, { customer, outcome: 'rotated', epoch: to });
    return { from: present, to };
  }
}

async function findPresent(rows: Rows, customer: string): Promise<string | undefined> {
  const row = await rows.get<EpochRow>`select epoch from enrol_keys where customer = ${customer} and present = 1`;
  return row?.epoch;
}

/** Returns whether enrollments under the epoch are under way. Ignores ends that precede a change of the clock. */
async function isBusy(rows: Rows, customer: string, epoch: string): Promise<boolean> {
  const busy =
    await rows.get<RowCount>`select count(*) as n from enrolments where customer = ${customer} and epoch = ${epoch} and until between ${rows.now} and ${rows.now + CHALLENGE_TTL_MS}`;
  return busy!.n > 0;
}

const MAX_OPENED = 256;

interface OpenKey {
  key: Promise<maths.SecretKey>;
  users: number;
  isEvicted: boolean;
}

/** A cache of the most recently used keys. An evicted key is wiped once no call uses it. */
export class OpenKeys {
  readonly #wipe;
  readonly #most;
  readonly #entries = new Map<string, OpenKey>();

  constructor(wipe: (key: maths.SecretKey) => void, most = MAX_OPENED) {
    this.#wipe = wipe;
    this.#most = most;
  }

  /** Runs `work` with the key of this name, which is not wiped until `work` ends. */
  async use<T>(
    name: string,
    open: () => Promise<maths.SecretKey>,
    work: (key: maths.SecretKey) => T | Promise<T>,
  ): Promise<T> {
    const entry = this.#entries.get(name) ?? { key: open(), users: 0, isEvicted: false };
    this.#entries.delete(name);
    this.#entries.set(name, entry);
    entry.users += 1;
    if (this.#entries.size > this.#most) this.close(this.#entries.keys().next().value!);
    try {
      const key = await entry.key.catch((error: unknown) => {
        if (this.#entries.get(name) === entry) this.close(name);
        throw error;
      });
      return await work(key);
    } finally {
      entry.users -= 1;
      this.#wipeUnused(entry);
    }
  }

  names(): string[] {
    return [...this.#entries.keys()];
  }

  close(name: string): void {
    const entry = this.#entries.get(name);
    if (!entry) return;
    this.#entries.delete(name);
    entry.isEvicted = true;
    this.#wipeUnused(entry);
  }

  closeAll(): void {
    for (const name of this.names()) this.close(name);
  }

  #wipeUnused({ key, users, isEvicted }: OpenKey): void {
    if (isEvicted && users === 0) key.then(this.#wipe, () => {}); // a key that did not open left nothing
  }
}

const IDENTITY_PLACE = 'identity/secret';

export type KeyHolderIdentity = Awaited<ReturnType<typeof openIdentity>>;

export async function openIdentity({ sealer, transact, read }: KeyHolderStore) {
  const find = () =>
    read((rows) => rows.get<{ secret: Uint8Array; public_key: Uint8Array }>`select secret, public_key from identity`);
  if (!(await find())) {
    const { privateKey, publicKey } = await maths.makeIdentity();
    await transact(
      (rows) =>
        rows.run`insert into identity (one, secret, public_key) values (1, ${sealer.seal(privateKey, IDENTITY_PLACE)}, ${publicKey}) on conflict do nothing`,
    );
    privateKey.fill(0);
  }
  const { secret, public_key: publicKey } = (await find())!;
  const privateKey = sealer.open(secret, IDENTITY_PLACE);
  return {
    publicKey,
    sign: (terms: Parameters<typeof maths.signChallenge>[1]) => maths.signChallenge(privateKey, terms),
  };
}
