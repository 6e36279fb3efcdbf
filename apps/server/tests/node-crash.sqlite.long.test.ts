// kill -9 amid concurrent enrollments and deletions: acknowledged changes survive, nothing is torn
// or left over.
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { onlyWhenLong } from '@limen/testing/rounds.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTestDatabase, engine, type TestDatabase } from '#testing/database/test-database.ts';
import { makeFace } from '#testing/faces.ts';
import { createManualClock } from '#testing/manual-clock.ts';
import { openPeopleProcess, type PeopleProcess, TEST_MASTER_KEY } from '#testing/processes/people-process.ts';
import { type ServerProcess, startServer } from '#testing/processes/server-process.ts';
import { ownerFrom } from '../src/platform/api-keys/owner.ts';
import { sqliteFile } from '../src/platform/database/database.ts';

const ROUNDS = onlyWhenLong(50, 2);
const WRITERS = 12;
const READERS = 8;
const API_KEY = 'a-development-key-for-this-test';
const ENROLL_LEASE_MS = 30_000;
/** The last round reads everything back, so the gallery is emptied at this size. */
const MAX_PEOPLE = 600;

interface Ledger {
  /** Acknowledged and never deleted: puid by number of the face */
  kept: Map<number, string>;
  /** Faces whose deletion was acknowledged */
  deleted: Set<number>;
  /** Enrollments that were sent, with unknown outcome */
  undecidedEnrolments: Set<number>;
  undecidedDeletions: Map<number, string>;
  /** Bytes that must no longer be in the database file */
  goneTraces: Buffer[];
}

function startNode(place: TestDatabase): Promise<ServerProcess> {
  return startServer({
    ...place.environment,
    MASTER_KEY: TEST_MASTER_KEY.toString('base64'),
    DEV_API_KEY: API_KEY,
    SERVE: 'node',
    LOG_LEVEL: 'warn',
    NODE_RATE_LIMIT: '1000000',
    NODE_RATE_BURST: '1000000',
  });
}

interface NodeReply {
  status: number;
  puid?: string;
}

async function post(server: ServerProcess, path: string, body: object): Promise<NodeReply> {
  const reply = await fetch(`${server.address}/node/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': API_KEY },
    body: JSON.stringify(body),
  });
  const content = (await reply.json()) as NodeReply;
  if (reply.status !== 200) throw new Error(`${path} answered ${reply.status} ${JSON.stringify(content)}`);
  return content;
}

const featuresOf = (face: number) => ({ features: { embedding_vector: [...makeFace(face)] } });

async function enroll(server: ServerProcess, face: number): Promise<string> {
  const { status, puid } = await post(server, 'plainEnroll', featuresOf(face));
  if (status !== 0 || puid === undefined) throw new Error(`not enrolled: ${status}`);
  return puid;
}

/** Returns undefined if no one is recognized. */
async function predict(server: ServerProcess, face: number): Promise<string | undefined> {
  const { status, puid } = await post(server, 'plainPredict', featuresOf(face));
  return status === 0 ? puid : undefined;
}

const deleteUser = (server: ServerProcess, puid: string) => post(server, 'deleteUser', { puid });

async function createPlace(): Promise<TestDatabase> {
  const place = await createTestDatabase();
  onTestFinished(place.dispose);
  return place;
}

it(
  `loses no one, keeps no one and tears nothing in ${ROUNDS} kills`,
  async () => {
    const place = await createPlace();
    const ledger: Ledger = {
      kept: new Map(),
      deleted: new Set(),
      undecidedEnrolments: new Set(),
      undecidedDeletions: new Map(),
      goneTraces: [],
    };
    let nextFace = 0;
    let verified = 0;
    let acknowledged = 0;
    let lastRoundAt = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const server = await startNode(place);
      await verify(server, ledger, verified);
      verified = nextFace;
      if (ledger.kept.size > MAX_PEOPLE) await clear(server, ledger);
      const isLast = round === ROUNDS - 1;
      if (isLast) {
        await repeatAndDelete(server, ledger);
        lastRoundAt = Date.now();
      }
      const target = acknowledged + 20 + ((round * 37) % 60);
      const onAcknowledged = () => {
        acknowledged += 1;
        if (acknowledged === target) server.child.kill('SIGKILL');
      };
      const takeFace = () => nextFace++;
      await Promise.all(
        Array.from({ length: WRITERS }, () =>
          writeUntilKilled({ server, place, ledger, takeFace, onAcknowledged, deletes: !isLast }),
        ),
      );
      expect(await server.stop('SIGKILL')).toBe(null);
    }
    const last = await startNode(place);
    await verify(last, ledger, 0);
    expect(await last.stop('SIGTERM')).toBe(0);
    expect(acknowledged).toBeGreaterThan(ROUNDS * 20);
    if (engine === 'sqlite') {
      expect(ledger.goneTraces.length).toBeGreaterThan(ROUNDS);
      expect(findTraces(place, ledger.goneTraces)).toEqual([]);
    }

    // A process that starts after the leases of the killed ones have expired.
    const process = await openPeopleProcess(place, { clock: createManualClock(Date.now() + ENROLL_LEASE_MS + 1_000) });
    await process.index.load();
    await verifyRows(process);
    await drainJobs(process, ledger, lastRoundAt);
    await verifyRows(process);
  },
  onlyWhenLong(3_600_000, 120_000),
);

interface Writing {
  server: ServerProcess;
  place: TestDatabase;
  ledger: Ledger;
  takeFace: () => number;
  onAcknowledged: () => void;
  deletes: boolean;
}

/** Enrolls one face after another, and deletes every third. */
async function writeUntilKilled(writing: Writing): Promise<void> {
  const { server, place, ledger, takeFace, onAcknowledged, deletes } = writing;
  try {
    for (;;) {
      const face = takeFace();
      ledger.undecidedEnrolments.add(face);
      const puid = await enroll(server, face);
      ledger.undecidedEnrolments.delete(face);
      ledger.kept.set(face, puid);
      onAcknowledged();
      if (!deletes || face % 3 !== 0) continue;
      ledger.kept.delete(face);
      ledger.undecidedDeletions.set(face, puid);
      const traces = engine === 'sqlite' ? readTraces(place, [puid]).get(puid)! : [];
      await deleteUser(server, puid);
      ledger.goneTraces.push(...traces);
      ledger.undecidedDeletions.delete(face);
      ledger.deleted.add(face);
      onAcknowledged();
    }
  } catch (error) {
    // The kill ends the connection. Any other failure fails the test.
    if (!(error instanceof TypeError && server.child.killed)) throw error;
  }
}

/** Compares predictions with the ledger, for all faces from this number on. */
async function verify(server: ServerProcess, ledger: Ledger, from: number): Promise<void> {
  const problems: string[] = [];
  const isMeant = (face: number) => face >= from;
  await forEach(
    [...ledger.kept].filter(([face]) => isMeant(face)),
    async ([face, puid]) => {
      if ((await predict(server, face)) !== puid) problems.push(`face ${face} is lost`);
    },
  );
  await forEach([...ledger.deleted].filter(isMeant), async (face) => {
    if ((await predict(server, face)) !== undefined) problems.push(`face ${face} is back`);
  });
  await forEach([...ledger.undecidedDeletions], async ([face, puid]) => {
    const found = await predict(server, face);
    if (found !== undefined && found !== puid) problems.push(`face ${face} is somebody else`);
  });
  expect(problems).toEqual([]);
}

async function clear(server: ServerProcess, { kept, deleted }: Ledger): Promise<void> {
  await forEach([...kept], async ([face, puid]) => {
    await deleteUser(server, puid);
    kept.delete(face);
    deleted.add(face);
  });
}

/**
 * Repeats unanswered requests as a client would, then deletes them. Jobs of killed processes are
 * still queued.
 */
async function repeatAndDelete(
  server: ServerProcess,
  { undecidedEnrolments: undecidedEnrollments, deleted }: Ledger,
): Promise<void> {
  await forEach([...undecidedEnrollments], async (face) => {
    await deleteUser(server, await enroll(server, face));
    undecidedEnrollments.delete(face);
    deleted.add(face);
  });
}

async function forEach<Item>(items: Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const next = items.values();
  await Promise.all(
    Array.from({ length: READERS }, async () => {
      for (const item of next) await work(item);
    }),
  );
}

/**
 * Checks that every row has its parent, that counts are right, and that the index holds exactly the
 * rows.
 */
async function verifyRows({ database: { queries }, store, seal, index, galleries }: PeopleProcess): Promise<void> {
  const people = await queries.selectFrom('people').select('id').execute();
  const embeddings = await queries.selectFrom('embeddings').selectAll().execute();
  const [row] = await store.listGalleries();
  expect(row).toMatchObject({ people: people.length, embeddings: embeddings.length });
  expect(new Set(embeddings.map(({ person_id }) => person_id))).toEqual(new Set(people.map(({ id }) => id)));
  const seqs = embeddings.map(({ seq }) => seq);
  expect(Math.max(...seqs)).toBeLessThanOrEqual(row!.version);
  await index.settle(row!.id);
  expect(galleries.map(({ size }) => size)).toEqual([embeddings.length]);
  for (const { seq, id, sealed } of embeddings) {
    const [hit] = await index.search(row!, seal.open(id, sealed), { k: 1, minSimilarity: 0.9 });
    expect(hit?.key).toBe(seq);
  }
}

/**
 * Finishes the last killed process's enrollment, once. Earlier ones restore no one, and no job is
 * left.
 */
async function drainJobs(
  { database, jobs, people, store }: PeopleProcess,
  { undecidedEnrolments: undecidedEnrollments, deleted }: Ledger,
  lastRoundAt: number,
): Promise<void> {
  const listJobs = () =>
    database.queries.selectFrom('jobs').select('created_at').where('kind', '=', 'people.enrol').execute();
  const left = (await listJobs()).filter(({ created_at }) => created_at >= lastRoundAt).length;
  expect(left).toBeLessThanOrEqual(undecidedEnrollments.size);
  const [gallery] = await store.listGalleries();
  const candidate = { owner: ownerFrom(gallery!), modelVersion: gallery!.model_version };
  const countFound = async (faces: Set<number>) => {
    let found = 0;
    await forEach([...faces], async (face) => {
      const { matches } = await people.identify({ ...candidate, vector: makeFace(face), k: 1 });
      if (matches.length > 0) found += 1;
    });
    return found;
  };
  const before = await countFound(undecidedEnrollments);
  while ((await jobs.runDue()) > 0);
  expect(await listJobs()).toEqual([]);
  expect(await countFound(undecidedEnrollments)).toBe(before + left);
  expect(await countFound(deleted)).toBe(0);
}

describe.runIf(engine === 'sqlite')('the database file', () => {
  it('contains nothing of a person once their deletion is acknowledged', async () => {
    const place = await createPlace();
    const server = await startNode(place);
    const PEOPLE = onlyWhenLong(300, 24);
    const puids: string[] = [];
    for (let face = 0; face < PEOPLE; face++) puids.push(await enroll(server, face));
    const traces = readTraces(place, puids);
    expect(traces.size).toBe(PEOPLE);
    expect(findTraces(place, [...traces.values()].flat())).toHaveLength([...traces.values()].flat().length);

    // An order that is neither that of the rows nor its reverse.
    const gone: Buffer[] = [];
    for (let i = 0; i < PEOPLE - 3; i++) {
      const puid = puids[(i * 7) % PEOPLE]!;
      await deleteUser(server, puid);
      expect(findTraces(place, traces.get(puid)!), `at deletion ${i + 1}`).toEqual([]);
      gone.push(...traces.get(puid)!);
    }
    expect(findTraces(place, gone)).toEqual([]);
    expect(await server.stop('SIGKILL')).toBe(null);
    const restarted = await startNode(place);
    expect(await restarted.stop('SIGTERM')).toBe(0);
    expect(findTraces(place, gone)).toEqual([]);
  });
});

/**
 * Returns by puid what would identify a person in the file: embedding id and pieces of its sealed
 * bytes.
 */
function readTraces(place: TestDatabase, puids: string[]): Map<string, Buffer[]> {
  const database = new DatabaseSync(sqliteFile(place.dataDir), { readOnly: true });
  const find = database.prepare(
    'select puid, embeddings.id, sealed from embeddings join people on people.id = person_id where puid = ?',
  );
  const rows = puids.map((puid) => find.get(puid) as { puid: string; id: string; sealed: Uint8Array });
  database.close();
  return new Map(
    rows.map(({ puid, id, sealed }) => {
      const bytes = Buffer.from(sealed);
      // Skips the header, which all values share.
      const pieces = [64, 200, 350, bytes.length - 32].map((at) => bytes.subarray(at, at + 24));
      return [puid, [Buffer.from(id), ...pieces]];
    }),
  );
}

function findTraces(place: TestDatabase, traces: Buffer[]): Buffer[] {
  const file = sqliteFile(place.dataDir);
  const content = Buffer.concat([file, `${file}-wal`].map(readIfThere));
  return traces.filter((trace) => content.includes(trace));
}

function readIfThere(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch {
    return Buffer.alloc(0);
  }
}
