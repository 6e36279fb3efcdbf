// kill -9 amid concurrent writes: acknowledged rows survive, no row is torn, the next start is
// clean.

import { onlyWhenLong } from '@limen/testing/rounds.ts';
import { expect, it, onTestFinished } from 'vitest';
import { createTestDatabase } from '#testing/database/test-database.ts';
import { type ServerProcess, startServer } from '#testing/processes/server-process.ts';

const ROUNDS = onlyWhenLong(100, 1);
const WRITERS = 16;
/** Long enough to span pages of the database file, so that a torn row would show. */
const FILLER = 'x'.repeat(9_000);

/** Every round reads everything back, so the store is emptied at this size. */
const MAX_ROWS = 1_000;

interface Ledger {
  /** Acknowledged and never deleted */
  kept: Map<string, string>;
  /** Strings whose deletion was acknowledged */
  deleted: Set<string>;
  /** Strings whose deletion was sent, with unknown outcome */
  undecided: Set<string>;
}

it(
  `loses no acknowledged write in ${ROUNDS === 1 ? 'a kill' : `${ROUNDS} kills`}`,
  async () => {
    const database = await createTestDatabase();
    onTestFinished(() => database.dispose());
    const ledger: Ledger = { kept: new Map(), deleted: new Set(), undecided: new Set() };
    let acknowledged = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const server = await startServer({ ...database.environment, SERVE: 'core', LOG_LEVEL: 'warn' });
      await verify(server, ledger);
      if (ledger.kept.size > MAX_ROWS) await clear(server, ledger);
      const target = acknowledged + 20 + ((round * 37) % 200);
      const writers = Array.from({ length: WRITERS }, (_, writer) =>
        writeUntilKilled(server, ledger, `${round}-${writer}`, () => {
          acknowledged += 1;
          if (acknowledged === target) server.child.kill('SIGKILL');
        }),
      );
      await Promise.all(writers);
      expect(await server.stop('SIGKILL')).toBe(null);
    }
    const last = await startServer(database.environment);
    await verify(last, ledger);
    expect(await last.stop('SIGTERM')).toBe(0);
    expect(acknowledged).toBeGreaterThanOrEqual(ROUNDS * 20);
  },
  onlyWhenLong(3_600_000, 300_000),
);

async function writeUntilKilled(
  server: ServerProcess,
  ledger: Ledger,
  name: string,
  onAcknowledged: () => void,
): Promise<void> {
  for (let number = 0; ; number++) {
    try {
      const value = `${name}-${number} ${FILLER} ${name}-${number}`;
      const created = await fetch(`${server.address}/strings`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(number % 5 === 0 ? { 'idempotency-key': `${name}-${number}` } : {}),
        },
        body: JSON.stringify({ value }),
      });
      if (created.status !== 201) throw new Error(`unexpected status ${created.status}`);
      const { id } = (await created.json()) as { id: string };
      ledger.kept.set(id, value);
      onAcknowledged();
      if (number % 4 === 3) {
        ledger.kept.delete(id);
        ledger.undecided.add(id);
        const gone = await fetch(`${server.address}/strings/${id}`, { method: 'DELETE' });
        if (gone.status !== 204) throw new Error(`unexpected status ${gone.status}`);
        ledger.undecided.delete(id);
        ledger.deleted.add(id);
        onAcknowledged();
      }
    } catch (error) {
      // The kill ends the connection. Any other failure fails the test.
      if (error instanceof TypeError && server.child.killed) return;
      throw error;
    }
  }
}

async function clear(server: ServerProcess, { kept, deleted }: Ledger): Promise<void> {
  for (const id of kept.keys()) {
    const gone = await fetch(`${server.address}/strings/${id}`, { method: 'DELETE' });
    expect(gone.status).toBe(204);
    deleted.add(id);
  }
  kept.clear();
}

/** Reads everything through the API and compares it with the ledger. */
async function verify(server: ServerProcess, { kept, deleted }: Ledger): Promise<void> {
  const found = new Map<string, string>();
  let cursor: string | undefined;
  do {
    const page = (await (
      await fetch(`${server.address}/strings?limit=200${cursor ? `&cursor=${cursor}` : ''}`)
    ).json()) as {
      strings: { id: string; value: string }[];
      nextCursor?: string;
    };
    for (const { id, value } of page.strings) found.set(id, value);
    cursor = page.nextCursor;
  } while (cursor !== undefined);

  const missing = [...kept.keys()].filter((id) => !found.has(id));
  const changed = [...kept].filter(([id, value]) => found.has(id) && found.get(id) !== value);
  const risen = [...deleted].filter((id) => found.has(id));
  const torn = [...found.values()].filter((value) => value.split(' ')[0] !== value.split(' ')[2]);
  expect({ missing: missing.length, changed: changed.length, risen: risen.length, torn: torn.length }).toEqual({
    missing: 0,
    changed: 0,
    risen: 0,
    torn: 0,
  });
}
