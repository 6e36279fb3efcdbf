// Devices that know a person: bound to them after a match on the server, and good for a number of local sign-ins.

import { createHash } from 'node:crypto';
import { readPoint, verifySignature } from '@limen/p256';
import { columnsOf, type Owner } from '../../platform/api-keys/owner.ts';
import type { Clock } from '../../platform/base/clock.ts';
import { type Ids, isUuid, type PersonId, type SessionId } from '../../platform/base/ids.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { holdRows } from '../../platform/database/hold-rows.ts';
import type { Schema } from '../../platform/database/schema.ts';
import { createRowSeal, type SealLog } from '../../platform/sealing/row-seal.ts';
import type { RowSealer } from '../../platform/sealing/sealer.ts';
import type { Vouched } from '../tables.ts';
import { createVouchedRows, type VouchedRows } from './vouched-rows.ts';

export interface PersonDevice {
  id: string;
  personId: PersonId;
  /** Uncompressed P-256 point, 65 bytes. */
  publicKey: Uint8Array;
  /** Local sign-ins since the last match on the server. */
  localUses: number;
  lastUsedAt: number;
}

interface ProposedDevice {
  owner: Owner;
  personId: PersonId;
  /** As `isDevicePoint` let it pass. */
  publicKey: Uint8Array;
  session: SessionId;
}

interface ConfirmedDevice {
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

type PersonDeviceRow = Schema['person_devices'];

interface PersonDeviceStore extends VouchedRows {
  insert(trx: Transaction, row: Omit<PersonDeviceRow, 'mac'>): Promise<void>;
  /** Bound, and of a confirmed person of this owner. */
  find(owner: Owner, id: string): Promise<PersonDeviceRow | undefined>;
  deleteProvisional(trx: Transaction, ...sessions: SessionId[]): Promise<void>;
  /** Binds what the session noted for this person under this id. */
  confirm(trx: Transaction, session: SessionId, personId: PersonId, id: string, vouched: Vouched): Promise<void>;
  countUse(id: string, limit: number, now: number): Promise<boolean>;
  resetUses(trx: Transaction, id: string, now: number): Promise<void>;
  delete(owner: Owner, id: string): Promise<boolean>;
}

export function createPersonDeviceStore(database: Database, sealer: RowSealer, log: SealLog): PersonDeviceStore {
  const { queries, engine, transact } = database;
  const seal = createRowSeal<PersonDeviceRow>(sealer, 'person_devices', { log, nameOf: ({ id }) => id });

  /** Keeps others from changing it until the transaction ends. */
  async function lock(trx: Transaction, id: string): Promise<PersonDeviceRow | undefined> {
    const query = trx.selectFrom('person_devices').selectAll().where('id', '=', id);
    return seal.ifWhole(await holdRows(engine, query).executeTakeFirst());
  }

  async function lockBound(trx: Transaction, personId: PersonId, id: string): Promise<PersonDeviceRow | undefined> {
    const row = await lock(trx, id);
    return row?.person_id === personId && row.provisional_session === null ? row : undefined;
  }

  async function change(trx: Transaction, row: PersonDeviceRow, changes: Partial<PersonDeviceRow>): Promise<boolean> {
    const { mac } = seal.sign({ ...row, ...changes });
    const { numUpdatedRows } = await trx
      .updateTable('person_devices')
      .set({ ...changes, mac })
      .where('id', '=', row.id)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  return {
    async insert(trx, row) {
      await trx.insertInto('person_devices').values(seal.sign(row)).execute();
    },

    async find(owner, id) {
      const row = await queries
        .selectFrom('person_devices')
        .innerJoin('people', 'people.id', 'person_devices.person_id')
        .selectAll('person_devices')
        .where('person_devices.id', '=', id)
        .where(({ and }) => and(columnsOf(owner)))
        .where('person_devices.provisional_session', 'is', null)
        .where('people.provisional_session', 'is', null)
        .executeTakeFirst();
      return seal.ifWhole(row);
    },

    async deleteProvisional(trx, ...sessions) {
      await trx.deleteFrom('person_devices').where('provisional_session', 'in', sessions).execute();
    },

    async confirm(trx, session, personId, id, vouched) {
      const row = await lock(trx, id);
      if (row?.provisional_session !== session || row.person_id !== personId) return;
      await change(trx, row, { provisional_session: null, vouched });
    },

    ...createVouchedRows<PersonDeviceRow>({
      lockOf: lockBound,
      change,
      listOf: (trx, personId) =>
        trx
          .selectFrom('person_devices')
          .select(['id', 'vouched', 'last_used_at'])
          .where('person_id', '=', personId)
          .where('provisional_session', 'is', null)
          .execute(),
      remove: (trx, ids) => trx.deleteFrom('person_devices').where('id', 'in', ids).execute(),
    }),

    countUse: (id, limit, now) =>
      transact(async (trx) => {
        const row = await lock(trx, id);
        if (!row || row.provisional_session !== null || row.local_uses >= limit) return false;
        await change(trx, row, { local_uses: row.local_uses + 1, last_used_at: now });
        return true;
      }),

    async resetUses(trx, id, now) {
      const row = await lock(trx, id);
      if (row) await change(trx, row, { local_uses: 0, last_used_at: now });
    },

    async delete(owner, id) {
      const { numDeletedRows } = await queries
        .deleteFrom('person_devices')
        .where('id', '=', id)
        .where(({ and }) => and(columnsOf(owner)))
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}

/** One word for each use: a signature made for one is not valid for the other. */
const PROTOCOLS = { signIn: 'limen-device-sign-in-v1', forget: 'limen-device-forget-v1' } as const;

export type DeviceWord = keyof typeof PROTOCOLS;

interface DeviceStatement {
  word: DeviceWord;
  sessionId: string;
  /** Of the plan. */
  nonce: string;
  /** The plan as it was sent to the device. */
  planText: string;
  deviceId: string;
}

/** Whether these bytes are a public key at all. */
export function isDevicePoint(point: Uint8Array): boolean {
  return readPoint(point) !== null;
}

export async function holdsStatement(
  point: Uint8Array,
  statement: DeviceStatement,
  signature: Uint8Array,
): Promise<boolean> {
  const key = readPoint(point);
  if (!key) return false;
  const { word, sessionId, nonce, planText, deviceId } = statement;
  const planHash = createHash('sha256').update(planText).digest('hex');
  const text = [PROTOCOLS[word], sessionId, nonce, planHash, deviceId].join('\n');
  return verifySignature(key, Buffer.from(text), signature);
}
