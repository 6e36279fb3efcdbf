// The customers' enrol keys: one present epoch each, and during a renewal the one before it.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SecretKey } from '@limen/token/keyholder';
import { type Rotation, UnknownEpoch } from '../../core/keyholder/keyholder.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Audit } from '../audit/audit.ts';
import { CHALLENGE_TTL_MS } from '../challenges.ts';
import type { Maths } from '../compare/maths.ts';
import type { KeyHolderStore } from '../store.ts';
import { createOpenKeys } from './open-keys.ts';

/** How often a rotation looks whether enrolments under the old epoch have come to rest. */
const REST_POLL_MS = 50;
const ID_BYTES = 16;

export interface Epochs {
  /** Runs `work` with the key of an epoch; it is not wiped before. */
  use<T>(customer: string, epoch: string, work: (key: SecretKey) => T | Promise<T>): Promise<T>;
  /** The present epoch, made if there is none. Notes the enrolment, so that a rotation waits for it. */
  enrolling(customer: string, challenge: string, until: number): Promise<string>;
  enrolled(challenge: string): void;
  rotate(customer: string): Promise<Rotation>;
  retire(customer: string, epoch: string): void;
  /** Wipes the keys that are open. */
  close(): void;
}

interface EpochsOptions {
  store: KeyHolderStore;
  audit: Audit;
  maths: Maths;
  clock: Clock;
  /** Ends the waiting of a rotation: the same one can be asked for again. */
  stopping: AbortSignal;
}

interface KeyRow {
  epoch: string;
}

export function randomId(): string {
  return randomBytes(ID_BYTES).toString('base64url');
}

export function createEpochs({ store, audit, maths, clock, stopping }: EpochsOptions): Epochs {
  const { db, sealer } = store;
  const findPresent = db.prepare('select epoch from enrol_keys where customer = ? and present = 1');
  const findOlder = db.prepare('select epoch from enrol_keys where customer = ? and present = 0 order by created_at');
  const findSecret = db.prepare('select secret from enrol_keys where customer = ? and epoch = ?');
  const insert = db.prepare(
    'insert into enrol_keys (customer, epoch, secret, present, created_at) values (?, ?, ?, 1, ?)',
  );
  const stepDown = db.prepare('update enrol_keys set present = 0 where customer = ?');
  const remove = db.prepare('delete from enrol_keys where customer = ? and epoch = ? and present = 0');
  const note = db.prepare('insert into enrolments (challenge, customer, epoch, until) values (?, ?, ?, ?)');
  const unnote = db.prepare('delete from enrolments where challenge = ?');
  const forgetPast = db.prepare('delete from enrolments where until < ?');
  const countNoted = db.prepare(
    'select count(*) as n from enrolments where customer = ? and epoch = ? and until between ? and ?',
  );
  const opened = createOpenKeys(maths.wipeKey);

  const presentOf = (customer: string) => findPresent.get(customer) as KeyRow | undefined;
  const placeOf = (customer: string, epoch: string) => `enrol_keys/secret/${customer}/${epoch}`;
  const nameOf = (customer: string, epoch: string) => `${epoch} ${customer}`;

  /** Its public half is thrown away: only the key-holder encrypts under it. */
  function insertKey(customer: string, secret: Uint8Array): string {
    const epoch = randomId();
    insert.run(customer, epoch, sealer.seal(secret, placeOf(customer, epoch)), clock.now());
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
      store.transact(() => {
        if (presentOf(customer)) return; // another call or process was faster
        audit.write({ customer, outcome: 'key_made', epoch: insertKey(customer, secret) });
      });
    } finally {
      secret.fill(0);
    }
  }

  return {
    async use(customer, epoch, work) {
      // Asked for each time: another process may have retired it.
      const row = findSecret.get(customer, epoch) as { secret: Uint8Array } | undefined;
      if (!row) {
        opened.close(nameOf(customer, epoch));
        throw new UnknownEpoch('there is no key of this epoch');
      }
      return opened.use(nameOf(customer, epoch), () => openSecret(row.secret, placeOf(customer, epoch)), work);
    },
    close: () => opened.closeAll(),
    async enrolling(customer, challenge, until) {
      if (!presentOf(customer)) await makeFirst(customer);
      // In one transaction: a rotation comes before it or waits for it.
      return store.transact(() => {
        const { epoch } = presentOf(customer)!;
        forgetPast.run(clock.now());
        note.run(challenge, customer, epoch, until);
        return epoch;
      });
    },
    enrolled: (challenge) => void unnote.run(challenge),
    async rotate(customer) {
      const { secret } = await maths.makeKeyPair();
      const rotation = store.transact((): Rotation => {
        const now = presentOf(customer);
        if (!now) throw new UnknownEpoch('the customer has no key yet');
        const before = findOlder.get(customer) as KeyRow | undefined;
        if (before) return { from: before.epoch, to: now.epoch };
        stepDown.run(customer);
        const to = insertKey(customer, secret);
        audit.write({ customer, outcome: 'rotated', epoch: to });
        return { from: now.epoch, to };
      });
      secret.fill(0);
      const isBusy = () => {
        const now = clock.now();
        // One that would end later than any can is of a time before the clock was set back.
        return (countNoted.get(customer, rotation.from, now, now + CHALLENGE_TTL_MS) as { n: number }).n > 0;
      };
      while (isBusy()) await sleep(REST_POLL_MS, undefined, { signal: stopping });
      return rotation;
    },
    retire(customer, epoch) {
      store.transact(() => {
        const { changes } = remove.run(customer, epoch);
        if (changes === 0) throw new UnknownEpoch('there is no epoch to retire by this name');
        audit.write({ customer, outcome: 'retired', epoch });
      });
      opened.close(nameOf(customer, epoch));
      store.eraseFreed();
    },
  };
}
