// Enrollments of dead or disconnected processes: finished by another process, or dropped.

import { PATIENCE } from '@limen/testing/patience.ts';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createTestDatabase } from '#testing/database/test-database.ts';
import { makeFace } from '#testing/faces.ts';
import { createManualClock, type ManualClock } from '#testing/manual-clock.ts';
import { liveOwner } from '#testing/owners.ts';
import { openPeopleProcess, type PeopleProcess } from '#testing/processes/people-process.ts';
import type { Puid } from '../../platform/base/ids.ts';
import type { Database } from '../../platform/database/database.ts';
import { JobAbandonedError } from '../../platform/jobs/job.ts';

const LEASE_MS = 30_000;
const GALLERY = { owner: liveOwner('c'), modelVersion: 'FACE3_1' };
const REQUEST = { caller: { owner: GALLERY.owner, isProven: true }, modelVersion: GALLERY.modelVersion };
const FACE = makeFace(1);

const enroll = ({ node }: PeopleProcess, face = FACE) => node.enroll({ ...REQUEST, vectors: [[...face]] });
const remove = ({ people }: PeopleProcess, puid: Puid) => people.remove(GALLERY.owner, puid);
const listJobs = ({ database }: PeopleProcess) => database.queries.selectFrom('jobs').selectAll().execute();
const countPeople = async ({ database }: PeopleProcess) =>
  (await database.queries.selectFrom('people').select('id').execute()).length;

async function createPlace() {
  const place = await createTestDatabase();
  onTestFinished(place.dispose);
  return place;
}

/** Makes a live process and the job row of one that was killed while enrolling the face. */
async function openBesideDead() {
  const place = await createPlace();
  const clock = createManualClock();
  const living = await openPeopleProcess(place, { clock });
  const dying = await openPeopleProcess(place, {
    clock,
    wrapDatabase: (database) => ({
      ...database,
      async transact() {
        left = await database.queries.selectFrom('jobs').selectAll().execute();
        throw new JobAbandonedError('killed');
      },
    }),
  });
  let left: Awaited<ReturnType<typeof listJobs>> = [];
  async function leaveJob() {
    await expect(enroll(dying)).rejects.toThrow();
    expect(left).toMatchObject([{ kind: 'people.enrol', state: 'running' }]);
    await living.database.queries.insertInto('jobs').values(left).execute();
  }
  return { living, clock, leaveJob };
}

/** Runs the dead process's job after its lease expired. */
async function takeOver(process: PeopleProcess, clock: ManualClock): Promise<void> {
  expect(await process.jobs.runDue()).toBe(0);
  clock.advance(LEASE_MS + 1);
  expect(await process.jobs.runDue()).toBe(1);
  expect(await listJobs(process)).toEqual([]);
}

it('finishes the job of a dead process, even if people were deleted before', async () => {
  const { living, clock, leaveJob } = await openBesideDead();
  await remove(living, (await enroll(living))!.puid);
  await leaveJob();
  await takeOver(living, clock);
  expect(await countPeople(living)).toBe(1);
  expect(await living.people.identify({ ...GALLERY, vector: FACE, k: 1 })).toMatchObject({ matches: [{}] });
});

it('drops the job if a retry enrolled the face and it was deleted since', async () => {
  const { living, clock, leaveJob } = await openBesideDead();
  await leaveJob();
  await remove(living, (await enroll(living))!.puid);
  await takeOver(living, clock);
  expect(await countPeople(living)).toBe(0);
});

it('drops the job even if the deletion left the log of removals', async () => {
  const { living, clock, leaveJob } = await openBesideDead();
  await leaveJob();
  await remove(living, (await enroll(living))!.puid);
  await living.database.transact((trx) => living.store.purgeRemovals(trx, clock.now() + 1));
  await takeOver(living, clock);
  expect(await countPeople(living)).toBe(0);
});

it('does not finish an enrollment that was reported as failed during an outage', async () => {
  const place = await createPlace();
  const clock = createManualClock();
  const outage = createOutage();
  const unlucky = await openPeopleProcess(place, { clock, wrapDatabase: outage.wrap });
  const other = await openPeopleProcess(place, { clock });
  outage.atNextTransaction = true;
  await expect(enroll(unlucky)).rejects.toThrow('Connection terminated');
  expect(await listJobs(other)).toHaveLength(1);
  outage.isAway = false;
  await vi.waitFor(async () => expect(await listJobs(other)).toEqual([]), PATIENCE);
  clock.advance(LEASE_MS + 1);
  expect(await other.jobs.runDue()).toBe(0);
  expect(await countPeople(other)).toBe(0);
});

it('leaves the person to the process that took over a lost lease, and asks for a retry', async () => {
  const place = await createPlace();
  const clock = createManualClock();
  let isSlow = true;
  const slow = await openPeopleProcess(place, {
    clock,
    wrapDatabase: (database) => ({
      ...database,
      async transact(work) {
        if (isSlow) {
          isSlow = false;
          // Takes over the job, as another process would.
          await database.queries.updateTable('jobs').set({ lease_token: 'of another' }).execute();
        }
        return database.transact(work);
      },
    }),
  });
  await expect(enroll(slow)).rejects.toMatchObject({ statusCode: 503, headers: { 'retry-after': '1' } });
  expect(await countPeople(slow)).toBe(0);
  await takeOver(slow, clock);
  expect(await countPeople(slow)).toBe(1);
});

/** Makes a database that fails from the next transaction on until it is restored. */
function createOutage() {
  const outage = {
    atNextTransaction: false,
    isAway: false,
    wrap: (database: Database): Database => ({
      ...database,
      queries: database.queries.withPlugin({
        transformQuery({ node }) {
          refuse();
          return node;
        },
        transformResult: async ({ result }) => result,
      }),
      async transact(work) {
        outage.isAway ||= outage.atNextTransaction;
        outage.atNextTransaction = false;
        refuse();
        return database.transact(work);
      },
    }),
  };
  function refuse(): void {
    if (outage.isAway) throw new Error('Connection terminated unexpectedly');
  }
  return outage;
}
