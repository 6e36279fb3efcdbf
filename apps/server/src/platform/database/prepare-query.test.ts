import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { expect, test } from 'vitest';
import { prepareQuery } from './prepare-query.ts';

const queries = new Kysely<{ things: { id: string; size: number } }>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

test('builds a prepared query once, on first use', async () => {
  let built = 0;
  const find = prepareQuery(
    async ({ sql, parameters }: CompiledQuery) => ({ sql, parameters }),
    (id: string, size: number) => {
      built += 1;
      return queries.selectFrom('things').selectAll().where('size', '>', size).where('id', '=', id);
    },
  );
  expect(built).toBe(0);
  const sql = 'select * from "things" where "size" > ? and "id" = ?';
  expect(await find('a', 1)).toEqual({ sql, parameters: [1, 'a'] });
  expect(await find('b', 2)).toEqual({ sql, parameters: [2, 'b'] });
  expect(built).toBe(1);
});
