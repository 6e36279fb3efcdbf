// The rows of device channels: sealed, and changed only by whoever knows their last revision.
import type { Database, Transaction } from '../../platform/database/database.ts';
import type { Schema } from '../../platform/database/schema.ts';
import type { Sealer } from '../../platform/sealing/sealer.ts';
import type { ChannelState } from './channel-state.ts';
import type { Keep } from './device-flow.ts';

/** Another call changed the session first: read again and decide again. */
export class Overtaken extends Error {
  override readonly name = 'Overtaken';
}

export interface ChannelRecord {
  state: ChannelState;
  revision: number;
}

/** What tells whether there is something new to see. */
export interface Sighting extends Pick<Schema['sessions'], 'id' | 'state' | 'expires_at'> {
  revision: number | null;
}

export interface ChannelStore {
  find(sessionId: string): Promise<ChannelRecord | undefined>;
  /** Seals at once, writes when called; throws `Overtaken` when there is a row already. */
  toInsert(sessionId: string, state: ChannelState): Keep;
  /** The same for a row that was read; throws `Overtaken` when it has changed since, or is gone. */
  toUpdate(sessionId: string, read: ChannelRecord, state: ChannelState): Keep;
  forget(trx: Transaction, sessionId: string): Promise<void>;
  /** Sessions that are gone are left out. */
  look(sessionIds: readonly string[]): Promise<Sighting[]>;
}

export function createChannelStore({ queries, prepare }: Database, sealer: Sealer): ChannelStore {
  // Every call of a device asks it.
  const findRow = prepare((sessionId: string) =>
    queries.selectFrom('device_channels').selectAll().where('session_id', '=', sessionId),
  );

  return {
    async find(sessionId) {
      const [row] = await findRow(sessionId);
      if (!row) return undefined;
      return { state: sealer.openJson(row.sealed, placeOf(sessionId)) as ChannelState, revision: row.revision };
    },

    toInsert(sessionId, state) {
      const sealed = sealer.sealJson(state, placeOf(sessionId));
      return async (trx) => {
        const { numInsertedOrUpdatedRows = 0n } = await trx
          .insertInto('device_channels')
          .values({ session_id: sessionId, revision: 1, sealed })
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirst();
        if (numInsertedOrUpdatedRows === 0n) throw new Overtaken();
      };
    },

    toUpdate(sessionId, { revision }, state) {
      const sealed = sealer.sealJson(state, placeOf(sessionId));
      return async (trx) => {
        const { numUpdatedRows } = await trx
          .updateTable('device_channels')
          .set({ revision: revision + 1, sealed })
          .where('session_id', '=', sessionId)
          .where('revision', '=', revision)
          .executeTakeFirst();
        if (numUpdatedRows === 0n) throw new Overtaken();
      };
    },

    async forget(trx, sessionId) {
      await trx.deleteFrom('device_channels').where('session_id', '=', sessionId).execute();
    },

    look: (sessionIds) =>
      queries
        .selectFrom('sessions')
        .leftJoin('device_channels', 'device_channels.session_id', 'sessions.id')
        .select(['sessions.id', 'sessions.state', 'sessions.expires_at', 'device_channels.revision'])
        .where('sessions.id', 'in', sessionIds)
        .execute(),
  };
}

function placeOf(sessionId: string): string {
  return `device_channels/sealed/${sessionId}`;
}
