// Time of the last use of each key, written in the background and at most once an hour.
import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import { describeForLog } from '../base/errors.ts';
import type { Database } from '../database/database.ts';

const EVERY_MS = 60 * 60_000;

export function createKeyUses({ queries }: Pick<Database, 'queries'>, clock: Clock, log: Pick<Logger, 'warn'>) {
  const noted = new Map<string, number>();

  async function write(key_id: string, used_at: number): Promise<void> {
    await queries
      .insertInto('api_key_uses')
      .values({ key_id, used_at })
      .onConflict((conflict) => conflict.column('key_id').doUpdateSet({ used_at }))
      .execute();
  }

  return {
    /** Returns at once, without waiting for the write. */
    note(keyId: string): void {
      const now = clock.now();
      const last = noted.get(keyId);
      if (last !== undefined && Math.abs(now - last) < EVERY_MS) return;
      noted.set(keyId, now);
      write(keyId, now).catch((error: unknown) => log.warn(describeForLog(error), 'the use of a key was not recorded'));
    },
    async list(): Promise<ReadonlyMap<string, number>> {
      const rows = await queries.selectFrom('api_key_uses').selectAll().execute();
      return new Map(rows.map(({ key_id, used_at }) => [key_id, used_at]));
    },
  };
}
