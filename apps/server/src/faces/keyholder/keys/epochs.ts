// The customers' enrol keys: one present epoch each, and during a renewal the one before it.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SecretKey } from '@limen/token/keyholder';
import type { Audit } from '../audit/log.ts';
import { CHALLENGE_TTL_MS } from '../challenges.ts';
import type { Maths } from '../compare.ts';
import { type Rotation, UnknownEpoch } from '../link/calls.ts';
import type { KeyHolderStore, Rows } from '../store/store.ts';
import { createOpenKeys } from './open.ts';

/** How often a rotation looks whether enrolments under the old epoch have come to rest. */
const REST_POLL_MS = 50;
const ID_BYTES = 16;

export type Epochs = ReturnType<typeof createEpochs>;

interface EpochsOptions {
  store: KeyHolderStore;
  audit: Audit;
  maths: Maths;
  /** Ends the waiting of a rotation: the same one can be asked for again. */
  stopping: AbortSignal;
}

interface KeyRow {
  epoch: string;
}

export function randomId(): string {
  return randomBytes(ID_BYTES).toString('base64url');
}

export function createEpochs({ store, audit, maths, stopping }: EpochsOptions) {
  const { sealer } = store;
  const opened = createOpenKeys(maths.wipeKey);

  const presentOf = (rows: Rows, customer: string) =>
    rows.get<KeyRow>('select epoch from enrol_keys where customer = ? and present = 1', customer);
  const placeOf = (customer: string, epoch: string) => `enrol_keys/secret/${customer}/${epoch}`;
  const nameOf = (customer: string, epoch: string) => `${epoch} ${customer}`;
  /** An epoch has no space in it. */
  const ofName = (name: string) => [name.slice(name.indexOf(' ') + 1), name.slice(0, name.indexOf(' '))] as const;
  const findSecret = (customer: string, epoch: string) =>
    store.read((rows) =>
      rows.get<{ secret: Uint8Array }>(
        'select secret from enrol_keys where customer = ? and epoch = ?',
        ...[customer, epoch],
      ),
    );

  /** Its public half is thrown away: only the key-holder encrypts under it. */
  async function insertKey(rows: Rows, customer: string, secret: Uint8Array): Promise<string> {
    const epoch = randomId();
    await rows.run(
      'insert into enrol_keys (customer, epoch, secret, present, created_at) values (?, ?, ?, 1, ?)',
      ...[customer, epoch, sealer.seal(secret, placeOf(customer, epoch)), rows.now],
    );
    return epoch;
  }

  async function openSecret(sealed: Uint8Array, place: string): Promise<SecretKey> {
    const secret = sealer.open(sealed, place);
    try {
      return await maths.openKey(secret);
    } finally {
      secret.fill(0);
    }
  }

  async function makeFirst(customer: string): Promise<void> {
    const { secret } = await maths.makeKeyPair();
    try {
      await store.transact(async (rows) => {
        if (await presentOf(rows, customer)) return; // another call or process was faster
        const epoch = await insertKey(rows, customer, secret);
        await audit.write(rows, { customer, outcome: 'key_made', epoch });
      });
    } finally {
      secret.fill(0);
    }
  }

  async function beginRotation(rows: Rows, customer: string, secret: Uint8Array): Promise<Rotation> {
    const now = await presentOf(rows, customer);
    if (!now) throw new UnknownEpoch('the customer has no key yet');
    const before = await rows.get<KeyRow>(
      'select epoch from enrol_keys where customer = ? and present = 0 order by created_at',
      customer,
    );
    if (before) return { from: before.epoch, to: now.epoch };
    await rows.run('update enrol_keys set present = 0 where customer = ?', customer);
    const to = await insertKey(rows, customer, secret);
    await audit.write(rows, { customer, outcome: 'rotated', epoch: to });
    return { from: now.epoch, to };
  }

  async function isBusy(rows: Rows, customer: string, epoch: string): Promise<boolean> {
    // One that would end later than any can is of a time before the clock was set back.
    const noted = await rows.get<{ n: number }>(
      'select count(*) as n from enrolments where customer = ? and epoch = ? and until between ? and ?',
      ...[customer, epoch, rows.now, rows.now + CHALLENGE_TTL_MS],
    );
    return noted!.n > 0;
  }

  return {
    /** Runs `work` with the key of an epoch; it is not wiped before. */
    async use<T>(customer: string, epoch: string, work: (key: SecretKey) => T | Promise<T>): Promise<T> {
      // Asked for each time: another process may have retired it.
      const row = await findSecret(customer, epoch);
      if (!row) {
        opened.close(nameOf(customer, epoch));
        throw new UnknownEpoch('there is no key of this epoch');
      }
      return opened.use(nameOf(customer, epoch), () => openSecret(row.secret, placeOf(customer, epoch)), work);
    },
    /** Wipes the keys that are open. */
    close: () => opened.closeAll(),
    /** Wipes open keys that another process has retired. */
    async sweep(): Promise<void> {
      for (const name of opened.names()) {
        if (!(await findSecret(...ofName(name)))) opened.close(name);
      }
    },
    /** The present epoch, made if there is none. Notes the enrolment for so long, so that a rotation waits for it. */
    async enrolling(customer: string, challenge: string, forMs: number): Promise<string> {
      if (!(await store.read((rows) => presentOf(rows, customer)))) await makeFirst(customer);
      // In one transaction: a rotation comes before it or waits for it.
      return store.transact(async (rows) => {
        const { epoch } = (await presentOf(rows, customer))!;
        await rows.run('delete from enrolments where until < ?', rows.now);
        await rows.run(
          'insert into enrolments (challenge, customer, epoch, until) values (?, ?, ?, ?)',
          ...[challenge, customer, epoch, rows.now + forMs],
        );
        return epoch;
      });
    },
    async enrolled(rows: Rows, challenge: string): Promise<void> {
      await rows.run('delete from enrolments where challenge = ?', challenge);
    },
    async rotate(customer: string): Promise<Rotation> {
      const { secret } = await maths.makeKeyPair();
      const rotation = await store
        .transact((rows) => beginRotation(rows, customer, secret))
        .finally(() => secret.fill(0));
      while (await store.read((rows) => isBusy(rows, customer, rotation.from)))
        await sleep(REST_POLL_MS, undefined, { signal: stopping });
      return rotation;
    },
    async retire(customer: string, epoch: string): Promise<void> {
      await store.transact(async (rows) => {
        const changes = await rows.run(
          'delete from enrol_keys where customer = ? and epoch = ? and present = 0',
          ...[customer, epoch],
        );
        if (changes === 0) throw new UnknownEpoch('there is no epoch to retire by this name');
        await audit.write(rows, { customer, outcome: 'retired', epoch });
      });
      opened.close(nameOf(customer, epoch));
      await store.eraseFreed();
    },
  };
}
