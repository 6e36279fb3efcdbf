// Devices that know a person: bound to them after a match on the server, and good for a number of local sign-ins.
import { columnsOf, type Owner } from '../../../platform/api-keys/owner.ts';
import type { Clock } from '../../../platform/base/clock.ts';
import { type Ids, isUuid, type PersonId, type SessionId } from '../../../platform/base/ids.ts';
import type { Database, Transaction } from '../../../platform/database/database.ts';
import type { Vouched } from '../../tables.ts';
import type { VouchedRows } from '../vouched-rows.ts';
import { type DeviceStatement, holdsStatement } from './local-sign-in.ts';
import type { PersonDeviceRow, PersonDeviceStore } from './store.ts';

export interface PersonDevice {
  id: string;
  personId: PersonId;
  /** Uncompressed P-256 point, 65 bytes. */
  publicKey: Uint8Array;
  /** Local sign-ins since the last match on the server. */
  localUses: number;
  lastUsedAt: number;
}

export interface ProposedDevice {
  owner: Owner;
  personId: PersonId;
  /** As `isDevicePoint` let it pass. */
  publicKey: Uint8Array;
  session: SessionId;
}

export interface ConfirmedDevice {
  personId: PersonId;
  /** As `propose` gave it; undefined where none came along. */
  deviceId: string | undefined;
  vouched: Vouched;
}

export interface PersonDevices extends Pick<VouchedRows, 'voucherOf' | 'vouch' | 'trustOnly'> {
  /** Notes a device that becomes the person's when the session ends well; replaces an earlier note of this session. */
  propose(wanted: ProposedDevice): Promise<string>;
  /** In the transaction that ends a session well: the device that is named is bound, any other note dropped. */
  confirm(trx: Transaction, session: SessionId, device: ConfirmedDevice): Promise<void>;
  /** In the transaction of any other end. */
  discard(trx: Transaction, ...sessions: SessionId[]): Promise<void>;
  /** A bound device of a confirmed person. */
  find(owner: Owner, deviceId: string): Promise<PersonDevice | undefined>;
  /** The device whose signature over this holds; undefined when it does not, or there is no such device. */
  verify(owner: Owner, statement: DeviceStatement, signature: Uint8Array): Promise<PersonDevice | undefined>;
  /** Counts a local sign-in; false when it would be one more than `limit`, or the device is gone: the server must match. */
  countLocalUse(deviceId: string, limit: number): Promise<boolean>;
  /** In the transaction that ends a sign-in through the server: local sign-ins count from zero again. */
  resetUses(trx: Transaction, deviceId: string): Promise<void>;
  /** False when there is no such device. */
  forget(owner: Owner, deviceId: string): Promise<boolean>;
}

interface PersonDevicesOptions {
  database: Database;
  store: PersonDeviceStore;
  clock: Clock;
  ids: Ids;
}

export function createPersonDevices({ database, store, clock, ids }: PersonDevicesOptions): PersonDevices {
  const devices: PersonDevices = {
    propose: ({ owner, personId, publicKey, session }) =>
      database.transact(async (trx) => {
        const id = ids.random();
        const now = clock.now();
        await store.deleteProvisional(trx, session);
        await store.insert(trx, {
          id,
          ...columnsOf(owner),
          person_id: personId,
          public_key: publicKey,
          local_uses: 0,
          vouched: 0,
          provisional_session: session,
          created_at: now,
          last_used_at: now,
        });
        return id;
      }),

    async confirm(trx, session, { personId, deviceId, vouched }) {
      if (deviceId !== undefined) await store.confirm(trx, session, personId, deviceId, vouched);
      await store.deleteProvisional(trx, session);
      await store.keepLatest(trx, personId);
    },

    discard: store.deleteProvisional,

    async find(owner, deviceId) {
      const row = isUuid(deviceId) ? await store.find(owner, deviceId) : undefined;
      return row && toDevice(row);
    },

    async verify(owner, statement, signature) {
      const device = await devices.find(owner, statement.deviceId);
      return device && (await holdsStatement(device.publicKey, statement, signature)) ? device : undefined;
    },

    voucherOf: store.voucherOf,
    vouch: store.vouch,
    trustOnly: store.trustOnly,

    countLocalUse: (deviceId, limit) => store.countUse(deviceId, limit, clock.now()),
    resetUses: (trx, deviceId) => store.resetUses(trx, deviceId, clock.now()),
    forget: async (owner, deviceId) => isUuid(deviceId) && store.delete(owner, deviceId),
  };
  return devices;
}

function toDevice({ id, person_id, public_key, local_uses, last_used_at }: PersonDeviceRow): PersonDevice {
  return { id, personId: person_id, publicKey: public_key, localUses: local_uses, lastUsedAt: last_used_at };
}
