// The string store: create, list, get, delete.
import type { CreatedString, StringRecord } from '@limen/contract';
import { type OwnerName, parseWorld } from '../platform/api-keys/owner.ts';
import { AppError, invalid } from '../platform/base/errors.ts';
import { isUuid } from '../platform/base/ids.ts';
import type { Context } from '../platform/context.ts';
import { type Amount, createCapacity } from '../platform/database/capacity.ts';
import type { Transaction } from '../platform/database/database.ts';
import type { Creation } from '../platform/idempotency/idempotency.ts';
import { findTextProblem } from '../platform/text/storable.ts';
import { MAX_PAGE_BYTES } from './limits.ts';
import { createStringStore, type StringRow } from './store.ts';

const MEGABYTE = 1024 * 1024;

/** `max`: maximum amount in each world. */
export function createStrings({ database, idempotency, clock, ids }: Context, max: Amount) {
  const store = createStringStore(database);
  // Counted by world, so that test keys cannot fill the room of live keys.
  const capacities = {
    live: createCapacity({ max, count: () => store.count('live') }),
    test: createCapacity({ max, count: () => store.count('test') }),
  };

  async function insertWithin(owner: OwnerName, row: StringRow, trx: Transaction | undefined): Promise<void> {
    const amount: Amount = { rows: 1, bytes: Buffer.byteLength(row.value) };
    const capacity = capacities[parseWorld(owner)];
    const end = capacity.reserve(amount);
    if (!end) throw storeFull(capacity.freeRows < 1 ? `${max.rows} strings` : `${max.bytes / MEGABYTE} MB`);
    let added: Amount = { rows: 0, bytes: 0 };
    try {
      await store.insert(owner, { ...row, bytes: amount.bytes }, trx);
      added = amount;
    } finally {
      end(added);
    }
  }

  return {
    async create(owner: OwnerName, value: string, { repeatable, warned }: Creation) {
      const problem = findTextProblem(value);
      if (problem !== undefined) throw invalid('body.value', problem);
      await capacities[parseWorld(owner)].refresh();
      const id = ids.sortable();
      const insert = async (trx?: Transaction): Promise<CreatedString> => {
        const row: StringRow = { id, value, created_at: clock.now() };
        await insertWithin(owner, row, trx);
        return { ...toRecord(row), ...warned };
      };
      if (!repeatable) return insert();
      const resource = stringResource(id);
      const request = { operation: 'strings.create', owner, ...repeatable, resource };
      return idempotency.once(request, async (trx) => ({ reply: await insert(trx), resource }));
    },

    async list(owner: OwnerName, limit: number, cursor?: string) {
      const before = cursor === undefined ? undefined : decodeCursor(cursor);
      if (cursor !== undefined && before === undefined) {
        throw invalid('query.cursor', 'must be the nextCursor of an earlier page, unchanged');
      }
      const next = await store.listSizes(owner, before, limit + 1);
      const sizes = next.map(({ bytes }) => bytes);
      const count = countRowsThatFit(sizes, limit);
      const [newest, oldest] = [next[0], next[count - 1]];
      if (!newest || !oldest) return { strings: [] };
      // Rows may come and go between the two reads, so the page is cut again and the cursor follows it.
      const rows = await store.listRange(owner, newest.id, oldest.id, count);
      const bytes = rows.map(({ value }) => Buffer.byteLength(value));
      const page = rows.slice(0, countRowsThatFit(bytes, count));
      const cutShort = page.length < rows.length || rows.length === count;
      const lastId = (cutShort && page.at(-1)?.id) || oldest.id;
      const strings = page.map(toRecord);
      return lastId !== oldest.id || count < next.length ? { strings, nextCursor: encodeCursor(lastId) } : { strings };
    },

    async get(owner: OwnerName, id: string) {
      const row = isUuid(id) ? await store.find(owner, id) : undefined;
      if (!row) throw notFound();
      return toRecord(row);
    },

    async delete(owner: OwnerName, id: string) {
      if (!isUuid(id)) throw notFound();
      const remove = async (trx: Transaction) => {
        const bytes = await store.delete(trx, owner, id);
        if (bytes !== undefined) await idempotency.forget(trx, stringResource(id));
        return bytes;
      };
      const bytes = await database.transact(remove, { makesRoom: true });
      if (bytes === undefined) throw notFound();
      capacities[parseWorld(owner)].removed({ rows: 1, bytes });
    },
  };
}

function storeFull(limit: string): AppError {
  return new AppError('store_full', `The store is full at ${limit}; delete some strings first.`);
}

function notFound(): AppError {
  return new AppError('not_found', 'There is no string with this id.');
}

function stringResource(id: string): string {
  return `strings/${id}`;
}

function toRecord({ id, value, created_at }: StringRow): StringRecord {
  return { id, value, createdAt: new Date(created_at).toISOString() };
}

/** Returns the cursor after a record. It is opaque to clients. */
export function encodeCursor(lastId: string): string {
  return Buffer.from(lastId).toString('base64url');
}

/** Returns the record id in a cursor, or undefined if the cursor is not ours. */
export function decodeCursor(cursor: string): string | undefined {
  const id = Buffer.from(cursor, 'base64url').toString('latin1');
  return isUuid(id) && encodeCursor(id) === cursor ? id : undefined;
}

/** Counts the rows of a page: at least one, and none after the byte budget is reached. */
export function countRowsThatFit(sizes: readonly number[], limit: number, budget = MAX_PAGE_BYTES): number {
  let bytes = 0;
  let count = 0;
  while (count < Math.min(limit, sizes.length) && bytes < budget) bytes += sizes[count++]!;
  return count;
}
