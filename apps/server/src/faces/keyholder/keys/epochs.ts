// The customers' enrol keys: one present epoch each, and during a renewal the one before it.
import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import * as maths from '@limen/token/keyholder';
import { BLOCK_PEOPLE, BODY_BYTES, MASKED_BYTES, rememberEpochs } from '@limen/token/shared';
import type { Audit } from '../audit/log.ts';
import { CHALLENGE_TTL_MS } from '../limits.ts';
import { type EpochRotation, type Packed, UnknownEpoch } from '../link/calls.ts';
import type { KeyHolderStore, Rows } from '../store/store.ts';
import type { HourlyBudgets, Spending } from '../throttle/hourly-budgets.ts';
import { OpenKeys } from './open.ts';

/** How often a rotation looks whether enrolments under the old epoch have come to rest. */
const REST_POLL_MS = 50;
const ID_BYTES = 16;

interface EpochsOptions {
  store: KeyHolderStore;
  audit: Audit;
  budgets: HourlyBudgets;
  makeKeyPair: typeof maths.makeKeyPair;
  /** Ends the waiting of a rotation: the same one can be asked for again. */
  stopping: AbortSignal;
}

interface KeyRow {
  epoch: string;
}

export function randomId(): string {
  return randomBytes(ID_BYTES).toString('base64url');
}

export class Epochs {
  readonly #options: EpochsOptions;
  readonly #sealer;
  /** Polynomials that a probe is multiplied with, by epoch. */
  readonly polynomialsOf = rememberEpochs();
  readonly #opened;
  readonly #presentOf = (rows: Rows, customer: string) =>
    rows.get<KeyRow>('select epoch from enrol_keys where customer = ? and present = 1', customer);
  readonly #placeOf = (customer: string, epoch: string) => `enrol_keys/secret/${customer}/${epoch}`;
  readonly #nameOf = (customer: string, epoch: string) => `${epoch} ${customer}`;
  /** An epoch has no space in it. */
  readonly #ofName = (name: string) => [name.slice(name.indexOf(' ') + 1), name.slice(0, name.indexOf(' '))] as const;
  readonly #findSecret = (customer: string, epoch: string) =>
    this.#options.store.read((rows) =>
      rows.get<{ secret: Uint8Array }>(
        'select secret from enrol_keys where customer = ? and epoch = ?',
        ...[customer, epoch],
      ),
    );

  constructor(options: EpochsOptions) {
    this.#options = options;
    const { sealer } = options.store;
    this.#sealer = sealer;
    this.#opened = new OpenKeys(maths.wipeKey);
  }

  /** Runs `work` with the key of an epoch; it is not wiped before. */
  async use<T>(customer: string, epoch: string, work: (key: maths.SecretKey) => T | Promise<T>): Promise<T> {
    // Asked for each time: another process may have retired it.
    const row = await this.#findSecret(customer, epoch);
    if (!row) {
      this.#opened.close(this.#nameOf(customer, epoch));
      throw new UnknownEpoch('there is no key of this epoch');
    }
    return this.#opened.use(
      this.#nameOf(customer, epoch),
      () => this.#openSecret(row.secret, this.#placeOf(customer, epoch)),
      work,
    );
  }

  /** Wipes the keys that are open. */
  readonly close = () => this.#opened.closeAll();

  /** Wipes open keys that another process has retired. */
  async sweep(): Promise<void> {
    for (const name of this.#opened.names()) {
      if (!(await this.#findSecret(...this.#ofName(name)))) this.#opened.close(name);
    }
  }

  /** The present epoch, made if there is none. Notes the enrolment for so long, so that a rotation waits for it. */
  async enrolling(customer: string, challenge: string, forMs: number): Promise<string> {
    if (!(await this.#options.store.read((rows) => this.#presentOf(rows, customer)))) await this.#makeFirst(customer);
    // In one transaction: a rotation comes before it or waits for it.
    return this.#options.store.transact(async (rows) => {
      const { epoch } = (await this.#presentOf(rows, customer))!;
      await rows.run('delete from enrolments where until < ?', rows.now);
      await rows.run(
        'insert into enrolments (challenge, customer, epoch, until) values (?, ?, ?, ?)',
        ...[challenge, customer, epoch, rows.now + forMs],
      );
      return epoch;
    });
  }

  async enrolled(rows: Rows, challenge: string): Promise<void> {
    await rows.run('delete from enrolments where challenge = ?', challenge);
  }

  async rotate(customer: string): Promise<EpochRotation> {
    const { secret } = await this.#options.makeKeyPair();
    const rotation = await this.#options.store
      .transact((rows) => this.#beginRotation(rows, customer, secret))
      .finally(() => secret.fill(0));
    while (await this.#options.store.read((rows) => this.#isBusy(rows, customer, rotation.from)))
      await sleep(REST_POLL_MS, undefined, { signal: this.#options.stopping });
    return rotation;
  }

  async retire(customer: string, epoch: string): Promise<void> {
    await this.#options.store.transact(async (rows) => {
      const changes = await rows.run(
        'delete from enrol_keys where customer = ? and epoch = ? and present = 0',
        ...[customer, epoch],
      );
      if (changes === 0) throw new UnknownEpoch('there is no epoch to retire by this name');
      await this.#options.audit.write(rows, { customer, outcome: 'retired', epoch });
    });
    this.#opened.close(this.#nameOf(customer, epoch));
    await this.#options.store.eraseFreed();
  }

  async renew(customer: string, from: string, to: string, masked: Uint8Array[]): Promise<Uint8Array[]> {
    if (masked.some((body) => body.length !== MASKED_BYTES)) throw new RangeError('a body has another length');
    const renewed: Uint8Array[] = [];
    await this.use(customer, from, (oldKey) =>
      this.use(customer, to, async (newKey) => {
        for (const body of masked) renewed.push(await maths.reencrypt(body, oldKey, newKey));
      }),
    );
    await this.#options.store.transact((rows) =>
      this.#options.audit.write(rows, { customer, outcome: 'renewed', epoch: to, rows: masked.length }),
    );
    return renewed;
  }

  async pack(customer: string, epoch: string, masked: Uint8Array[], balances: Uint8Array[]): Promise<Packed> {
    if (masked.some((body) => body.length !== BODY_BYTES)) throw new RangeError('a body has another length');
    if (masked.length % BLOCK_PEOPLE !== 0) throw new RangeError('a block has four people');
    if (balances.length !== masked.length) throw new RangeError('every body has its balance');
    const packed: Uint8Array[] = [];
    const polynomials = await this.polynomialsOf(epoch);
    let unbalanced = -1;
    await this.use(customer, epoch, async (key) => {
      unbalanced = balances.findIndex((balance) => !maths.checkBalance(balance, key));
      // All the same where one is out of balance: once there are no more answers, the time must not be one.
      for (let at = 0; at < masked.length; at += BLOCK_PEOPLE) {
        packed.push(maths.packBlock(masked.slice(at, at + BLOCK_PEOPLE), key, polynomials));
        // Two or three milliseconds each: others are waiting for their answers.
        await nextTurn();
      }
    });
    const answer: Spending[] = [{ budget: 'sign_in', subject: customer }];
    await this.#options.store.transact(async (rows) => {
      // Whatever came of it: a refusal that is not counted must not be told from its absence.
      await this.#options.budgets.check(rows, answer);
      if (unbalanced >= 0) await this.#options.budgets.count(rows, answer);
      const outcome = unbalanced >= 0 ? 'unbalanced' : 'packed';
      await this.#options.audit.write(rows, { customer, outcome, epoch, rows: masked.length });
    });
    return unbalanced >= 0 ? { unbalanced } : { blocks: packed };
  }

  /** Its public half is thrown away: only the key-holder encrypts under it. */
  async #insertKey(rows: Rows, customer: string, secret: Uint8Array): Promise<string> {
    const epoch = randomId();
    await rows.run(
      'insert into enrol_keys (customer, epoch, secret, present, created_at) values (?, ?, ?, 1, ?)',
      ...[customer, epoch, this.#sealer.seal(secret, this.#placeOf(customer, epoch)), rows.now],
    );
    return epoch;
  }

  async #openSecret(sealed: Uint8Array, place: string): Promise<maths.SecretKey> {
    const secret = this.#sealer.open(sealed, place);
    try {
      return await maths.openKey(secret);
    } finally {
      secret.fill(0);
    }
  }

  async #makeFirst(customer: string): Promise<void> {
    const { secret } = await this.#options.makeKeyPair();
    try {
      await this.#options.store.transact(async (rows) => {
        if (await this.#presentOf(rows, customer)) return; // another call or process was faster
        const epoch = await this.#insertKey(rows, customer, secret);
        await this.#options.audit.write(rows, { customer, outcome: 'key_made', epoch });
      });
    } finally {
      secret.fill(0);
    }
  }

  async #beginRotation(rows: Rows, customer: string, secret: Uint8Array): Promise<EpochRotation> {
    const now = await this.#presentOf(rows, customer);
    if (!now) throw new UnknownEpoch('the customer has no key yet');
    const before = await rows.get<KeyRow>(
      'select epoch from enrol_keys where customer = ? and present = 0 order by created_at',
      customer,
    );
    if (before) return { from: before.epoch, to: now.epoch };
    await rows.run('update enrol_keys set present = 0 where customer = ?', customer);
    const to = await this.#insertKey(rows, customer, secret);
    await this.#options.audit.write(rows, { customer, outcome: 'rotated', epoch: to });
    return { from: now.epoch, to };
  }

  async #isBusy(rows: Rows, customer: string, epoch: string): Promise<boolean> {
    // An enrollment with a later end than possible was noted before the clock was set back.
    const noted = await rows.get<{ n: number }>(
      'select count(*) as n from enrolments where customer = ? and epoch = ? and until between ? and ?',
      ...[customer, epoch, rows.now, rows.now + CHALLENGE_TTL_MS],
    );
    return noted!.n > 0;
  }
}
