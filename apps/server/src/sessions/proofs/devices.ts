// Devices bound to a person after a match on the server, good for a limited number of local sign-ins.
import { createHash } from 'node:crypto';
import { readPoint, verifySignature } from '@limen/p256';
import { type Owner, ownerColumns } from '../../platform/api-keys/owner.ts';
import { isUuid, type PersonId, type SessionId } from '../../platform/base/ids.ts';
import type { Context } from '../../platform/context.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { holdRows } from '../../platform/database/hold-rows.ts';
import type { Schema } from '../../platform/database/schema.ts';
import type { SealLog } from '../../platform/sealing/edited-rows.ts';
import { createRowSeal, type RowSeal } from '../../platform/sealing/row-seal.ts';
import type { VouchingLevel } from '../tables.ts';
import { VouchedRows } from './vouched-rows.ts';

type PersonDeviceRow = Schema['person_devices'];
export type PersonDevice = NonNullable<Awaited<ReturnType<PersonDevices['find']>>>;

type DeviceContext = Pick<Context, 'database' | 'sealer' | 'clock' | 'ids'> & { log: SealLog };

export class PersonDevices extends VouchedRows<PersonDeviceRow> {
  readonly #context: DeviceContext;
  readonly #seal: RowSeal<PersonDeviceRow>;

  constructor(context: DeviceContext) {
    super();
    this.#context = context;
    this.#seal = createRowSeal(context.sealer, 'person_devices', { log: context.log, nameOf: ({ id }) => id });
  }

  /** Notes a device that is bound once the session ends well. Replaces an earlier note of this session. */
  propose(proposed: { owner: Owner; personId: PersonId; publicKey: Uint8Array; session: SessionId }): Promise<string> {
    const { owner, personId, publicKey, session } = proposed;
    const { database, ids, clock } = this.#context;
    return database.transact(async (trx) => {
      const id = ids.random();
      const now = clock.now();
      await this.discard(trx, session);
      const row = this.#seal.sign({
        id,
        ...ownerColumns(owner),
        person_id: personId,
        public_key: publicKey,
        local_uses: 0,
        vouched: 0,
        provisional_session: session,
        created_at: now,
        last_used_at: now,
      });
      await trx.insertInto('person_devices').values(row).execute();
      return id;
    });
  }

  /** Binds the device that `propose` named, and drops other notes, as part of ending a session well. */
  async confirm(
    trx: Transaction,
    session: SessionId,
    { personId, deviceId, vouched }: { personId: PersonId; deviceId: string | undefined; vouched: VouchingLevel },
  ) {
    const row = deviceId === undefined ? undefined : await this.#lock(trx, deviceId);
    if (row?.provisional_session === session && row.person_id === personId) {
      await this.change(trx, row, { provisional_session: null, vouched });
    }
    await this.discard(trx, session);
    await this.keepLatest(trx, personId);
  }

  async discard(trx: Transaction, ...sessions: SessionId[]) {
    await trx.deleteFrom('person_devices').where('provisional_session', 'in', sessions).execute();
  }

  async find(owner: Owner, id: string) {
    if (!isUuid(id)) return undefined;
    const found = await this.#context.database.queries
      .selectFrom('person_devices')
      .innerJoin('people', 'people.id', 'person_devices.person_id')
      .selectAll('person_devices')
      .where('person_devices.id', '=', id)
      .where(({ and }) => and(ownerColumns(owner)))
      .where('person_devices.provisional_session', 'is', null)
      .where('people.provisional_session', 'is', null)
      .executeTakeFirst();
    const row = this.#seal.ifWhole(found);
    if (!row) return undefined;
    const { person_id: personId, public_key: publicKey, local_uses: localUses, last_used_at: lastUsedAt } = row;
    return { id, personId, publicKey, localUses, lastUsedAt };
  }

  async verify(owner: Owner, statement: DeviceStatement, signature: Uint8Array) {
    const device = await this.find(owner, statement.deviceId);
    return device && (await holdsStatement(device.publicKey, statement, signature)) ? device : undefined;
  }

  /** Counts a local sign-in. Returns false over `limit` or without the device; then the server must match. */
  countLocalUse(id: string, limit: number): Promise<boolean> {
    return this.#context.database.transact(async (trx) => {
      const row = await this.#lock(trx, id);
      if (!row || row.provisional_session !== null || row.local_uses >= limit) return false;
      await this.change(trx, row, { local_uses: row.local_uses + 1, last_used_at: this.#context.clock.now() });
      return true;
    });
  }

  async resetUses(trx: Transaction, id: string) {
    const row = await this.#lock(trx, id);
    if (row) await this.change(trx, row, { local_uses: 0, last_used_at: this.#context.clock.now() });
  }

  async forget(owner: Owner, id: string) {
    if (!isUuid(id)) return false;
    const { numDeletedRows } = await this.#context.database.queries
      .deleteFrom('person_devices')
      .where('id', '=', id)
      .where(({ and }) => and(ownerColumns(owner)))
      .executeTakeFirst();
    return numDeletedRows > 0n;
  }

  async #lock(trx: Transaction, id: string): Promise<PersonDeviceRow | undefined> {
    const query = trx.selectFrom('person_devices').selectAll().where('id', '=', id);
    return this.#seal.ifWhole(await holdRows(this.#context.database.engine, query).executeTakeFirst());
  }

  protected async lockOf(trx: Transaction, personId: PersonId, id: string) {
    const row = await this.#lock(trx, id);
    return row?.person_id === personId && row.provisional_session === null ? row : undefined;
  }

  protected async change(trx: Transaction, row: PersonDeviceRow, changes: Partial<PersonDeviceRow>) {
    const { mac } = this.#seal.sign({ ...row, ...changes });
    const update = trx.updateTable('person_devices').set({ ...changes, mac });
    return (await update.where('id', '=', row.id).executeTakeFirst()).numUpdatedRows > 0n;
  }

  protected listOf(trx: Transaction, personId: PersonId) {
    return trx
      .selectFrom('person_devices')
      .select(['id', 'vouched', 'last_used_at'])
      .where('person_id', '=', personId)
      .where('provisional_session', 'is', null)
      .execute();
  }

  protected remove(trx: Transaction, ids: string[]) {
    return trx.deleteFrom('person_devices').where('id', 'in', ids).execute();
  }
}

/** Each use has its own word, so that a signature for one is not valid for the other. */
const PROTOCOLS = { signIn: 'limen-device-sign-in-v1', forget: 'limen-device-forget-v1' } as const;

export type DeviceProtocol = keyof typeof PROTOCOLS;

interface DeviceStatement {
  word: DeviceProtocol;
  sessionId: string;
  nonce: string;
  planText: string;
  deviceId: string;
}

export function isDevicePoint(point: Uint8Array): boolean {
  return readPoint(point) !== null;
}

export async function holdsStatement(
  point: Uint8Array,
  { word, sessionId, nonce, planText, deviceId }: DeviceStatement,
  signature: Uint8Array,
): Promise<boolean> {
  const key = readPoint(point);
  if (!key) return false;
  const planHash = createHash('sha256').update(planText).digest('hex');
  const text = [PROTOCOLS[word], sessionId, nonce, planHash, deviceId].join('\n');
  return verifySignature(key, Buffer.from(text), signature);
}
