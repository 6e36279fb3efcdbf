// Sealed rows of device channels. Only a caller that knows a channel's last revision can change it.
import type { CarriedBox } from '@limen/contract';
import { inBatches } from '../../platform/base/batches.ts';
import type { Clock } from '../../platform/base/clock.ts';
import { isMissingReference } from '../../platform/base/database-failures.ts';
import { ConflictError } from '../../platform/base/errors.ts';
import type { SessionId } from '../../platform/base/ids.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { prepareWrite } from '../../platform/database/prepare-query.ts';
import type { Schema } from '../../platform/database/schema.ts';
import { defineRecurringJob } from '../../platform/jobs/job.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import type { Sealer } from '../../platform/sealing/sealer.ts';
import { tables } from '../tables.ts';
import type { ChannelState } from './channel-state.ts';
import type { ChannelWrite } from './flow.ts';

export interface ChannelRecord {
  state: ChannelState;
  revision: number;
}

export interface Sighting extends Pick<Schema['sessions'], 'id' | 'state' | 'expires_at'> {
  revision: number | null;
}

export interface StoredBox extends CarriedBox {
  expiresAt: number;
}

const channelSealPlace = (sessionId: SessionId) => tables.device_channels.places.sealed({ session_id: sessionId });
const boxSealPlace = (sessionId: SessionId) => tables.handoff_boxes.places.sealed({ session_id: sessionId });

export function createChannelStore(database: Database, sealer: Sealer) {
  const { queries } = database;
  const { findRow, insertRow, updateRow } = prepareQueries(database);

  return {
    async find(sessionId: SessionId, trx?: Transaction) {
      const inside = trx?.selectFrom('device_channels').selectAll().where('session_id', '=', sessionId);
      const row = await (inside ? inside.executeTakeFirst() : findRow(sessionId));
      if (!row) return undefined;
      return {
        state: sealer.openJson(row.sealed, channelSealPlace(sessionId)) as ChannelState,
        revision: row.revision,
      };
    },

    /** Seals at once, inserts the row when called. Throws `ConflictError` if there is one already. */
    toInsert(sessionId: SessionId, state: ChannelState): ChannelWrite {
      const sealed = sealer.sealJson(state, channelSealPlace(sessionId));
      return async (trx) => {
        const { changed } = await insertRow(trx, { session_id: sessionId, revision: 1, sealed });
        if (changed === 0) throw new ConflictError();
      };
    },

    /**
     * Seals at once, updates the row when called. Throws `ConflictError` if the row has changed since it was read. The update
     * deletes a box that the state no longer holds, and `box` replaces an earlier one.
     */
    toUpdate(sessionId: SessionId, { revision, state: before }: ChannelRecord, state: ChannelState, box?: StoredBox) {
      const sealed = sealer.sealJson(state, channelSealPlace(sessionId));
      const sealedBox = box && sealer.sealJson(box, boxSealPlace(sessionId));
      return async (trx: Transaction) => {
        const next = { session_id: sessionId, before: revision, revision: revision + 1, sealed };
        if ((await updateRow(trx, next)).changed === 0) throw new ConflictError();
        // The guarding row comes first: of two concurrent boxes, one fails with a conflict.
        if (before.holdsBox && (sealedBox || !state.holdsBox)) await removeBox(trx, sessionId);
        if (!sealedBox) return;
        const row = { session_id: sessionId, expires_at: box.expiresAt, sealed: sealedBox };
        await trx.insertInto('handoff_boxes').values(row).execute();
      };
    },

    async forget(trx: Transaction, ...sessionIds: SessionId[]) {
      await trx.deleteFrom('device_channels').where('session_id', 'in', sessionIds).execute();
      await removeBox(trx, ...sessionIds);
    },

    /** Returns undefined after its expiry, even if the row is still there. */
    async findBox(sessionId: SessionId, now: number) {
      const row = await queries
        .selectFrom('handoff_boxes')
        .select('sealed')
        .where('session_id', '=', sessionId)
        .where('expires_at', '>', now)
        .executeTakeFirst();
      if (!row) return undefined;
      const { expiresAt, ...box } = sealer.openJson(row.sealed, boxSealPlace(sessionId)) as StoredBox;
      // The column only serves the search and may have been edited; the sealed time counts.
      return expiresAt > now ? box : undefined;
    },

    async purgeBoxes(now: number, limit: number) {
      const over = await queries
        .selectFrom('handoff_boxes')
        .select('session_id')
        .where('expires_at', '<=', now)
        .orderBy('expires_at')
        .limit(limit)
        .execute();
      if (over.length === 0) return 0;
      const ids = over.map(({ session_id }) => session_id);
      // A device may have sealed another box since, so the time is checked again.
      await queries.deleteFrom('handoff_boxes').where('session_id', 'in', ids).where('expires_at', '<=', now).execute();
      return over.length;
    },

    look: (sessionIds: readonly SessionId[]) =>
      queries
        .selectFrom('sessions')
        .leftJoin('device_channels', 'device_channels.session_id', 'sessions.id')
        .select(['sessions.id', 'sessions.state', 'sessions.expires_at', 'device_channels.revision'])
        .where('sessions.id', 'in', sessionIds)
        .execute(),
  };
}

export type ChannelStore = ReturnType<typeof createChannelStore>;

function prepareQueries({ queries, prepareOne }: Pick<Database, 'queries' | 'prepareOne'>) {
  return {
    findRow: prepareOne((sessionId: SessionId) =>
      queries.selectFrom('device_channels').selectAll().where('session_id', '=', sessionId),
    ),
    insertRow: prepareWrite((row: Schema['device_channels']) =>
      queries
        .insertInto('device_channels')
        .values(row)
        .onConflict((conflict) => conflict.doNothing()),
    ),
    updateRow: prepareWrite(({ session_id, before, ...columns }: Schema['device_channels'] & { before: number }) =>
      queries
        .updateTable('device_channels')
        .set(columns)
        .where('session_id', '=', session_id)
        .where('revision', '=', before),
    ),
  };
}

async function removeBox(trx: Transaction, ...sessionIds: SessionId[]): Promise<void> {
  await trx.deleteFrom('handoff_boxes').where('session_id', 'in', sessionIds).execute();
}

/** A box is gone for devices at its expiry. Its row is deleted up to this much later. */
const PURGE_EVERY_MS = 10_000;
const BATCH = 100;

const purgeBoxes = defineRecurringJob('handoff.boxes', PURGE_EVERY_MS);

export function registerBoxTimer(jobs: Jobs, store: Pick<ChannelStore, 'purgeBoxes'>, clock: Clock): void {
  jobs.handle(purgeBoxes, (_payload, { signal }) =>
    inBatches(signal, BATCH, () => store.purgeBoxes(clock.now(), BATCH)),
  );
}

/** Throws `ConflictError` if the row's session was deleted; otherwise rethrows the error. */
export function refuseGone(error: unknown): never {
  throw isMissingReference(error) ? new ConflictError() : error;
}
