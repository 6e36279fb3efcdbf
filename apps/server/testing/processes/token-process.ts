// One server process's access to face tokens, and a device that creates real ones from random
// faces.

import { openDevice, type TokenDevice } from '@limen/token/device';
import { Evaluator } from '@limen/token/evaluator';
import { onTestFinished } from 'vitest';
import { randomVector } from '../../../../packages/token/testing/vectors.ts';
import { openPeople } from '../../src/faces/galleries/open.ts';
import type { KeyHolder } from '../../src/faces/keyholder/link/calls.ts';
import { type FaceTokens, openFaceTokens } from '../../src/faces/tokens/open.ts';
import type { EnrollOutcome, TokenPurpose } from '../../src/faces/tokens/tokens.ts';
import type { Owner } from '../../src/platform/api-keys/owner.ts';
import { named, type PersonId, type SessionId } from '../../src/platform/base/ids.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { forgetSessionsOfPerson } from '../../src/sessions/host/forget-person.ts';
import type { TestDatabase } from '../database/test-database.ts';
import { createManualClock, type ManualClock } from '../manual-clock.ts';
import { liveOwner } from '../owners.ts';
import { testContext } from '../test-context.ts';
import { TEST_MASTER_KEY } from './people-process.ts';

export const TOKEN_OWNER = liveOwner('acme');
const MODEL_SHA256 = 'ab'.repeat(32);

interface TokenProcessOptions {
  keyHolder: KeyHolder;
  clock?: ManualClock;
  memoryMb?: number;
  pageTokens?: number;
  packFrom?: number;
  /** Polling interval; effectively never by default */
  pollMs?: number;
  modelSha256?: string;
  maxPeople?: number;
  /** Injects faults. */
  wrapDatabase?: (database: Database) => Database;
}

export type TokenProcess = Awaited<ReturnType<typeof openTokenProcess>>;

let evaluator: Evaluator | undefined;
/** Returns the shared evaluator with one thread, because starting it takes longer than its work. */
function testEvaluator(): Evaluator {
  evaluator ??= new Evaluator({ threads: 1, maxBytes: 2 ** 26 });
  return evaluator;
}

let device: Promise<TokenDevice> | undefined;
/** Returns the shared device, because loading SEAL takes some 100 ms. */
export function tokenDevice(): Promise<TokenDevice> {
  device ??= openDevice();
  return device;
}

/** Settings for people whose vectors are in memory. */
export function inMemory({ url, dataDir }: TestDatabase) {
  const unlimited = { memoryBytes: undefined, mayMiss: false, matchThreshold: undefined, maxEmbeddings: 1_000 };
  return { vectorStore: 'memory' as const, url, dataDir, ...unlimited };
}

/** Opens a process that is closed when the test ends, with the test's key-holder. */
export async function openTokenProcess(place: TestDatabase, options: TokenProcessOptions) {
  const { keyHolder, clock = createManualClock(), memoryMb = 16, pageTokens, pollMs = 3_600_000 } = options;
  const { wrapDatabase } = options;
  const context = await testContext(place, { clock, masterKey: TEST_MASTER_KEY, wrapDatabase });
  const { database, sealer, ids, logged } = context;
  const settings = {
    memoryMb,
    pollMs,
    pageTokens,
    packFrom: options.packFrom,
    modelIdentity: options.modelSha256 ?? MODEL_SHA256,
    maxPeople: options.maxPeople ?? 1_000,
  };
  const tokens = openFaceTokens(context, settings, { keyHolder, evaluator: testEvaluator() });
  const onRemove = forgetSessionsOfPerson(context);
  const { people, index } = openPeople(context, inMemory(place), { onRemove, settleTokens: tokens.settle });
  let sessions = 0;
  onTestFinished(async () => {
    await tokens.close();
    await index.close();
    await context.close();
  });
  return {
    database,
    tokens,
    people,
    clock,
    ids,
    sealer,
    logged,
    newSession: () => named<SessionId>(`session-${process.pid}-${sessions++}-${ids.random()}`),
  };
}

/** Prepares an attempt as a device does: a challenge, and a probe under its key. */
export async function prepareAttempt(
  { tokens, newSession }: { tokens: FaceTokens; newSession: () => SessionId },
  purpose: TokenPurpose,
  vector: Float32Array,
  {
    session = newSession(),
    owner = TOKEN_OWNER,
    vouchedBy,
  }: { session?: SessionId; owner?: Owner; vouchedBy?: { personId: PersonId; deviceId: string } } = {},
) {
  const encrypt = await tokenDevice();
  const opened = await tokens.openChallenge({
    owner,
    purpose,
    session,
    sessionSecret: `secret of ${session}`,
    // Not counted together. Tests of the throttle call the key-holder directly.
    address: session,
    vouchedBy,
  });
  const { challenge, publicKey, modelId } = opened;
  const probe = encrypt.encrypt(vector, { publicKey, keyId: challenge }, modelId);
  return { owner, session, challenge, probe, opened };
}

/** Enrolls a face up to the reply. The person only counts in other enrollments. */
export async function enrollFace(process: TokenProcess, vector: Float32Array, more = {}): Promise<EnrollOutcome> {
  return process.tokens.enrol(await prepareAttempt(process, 'enrol', vector, more));
}

/** Completes an enrollment. */
export async function addPerson(process: TokenProcess, vector: Float32Array, owner = TOKEN_OWNER) {
  const session = process.newSession();
  const outcome = await enrollFace(process, vector, { session, owner });
  if (outcome.kind === 'malformed') throw new Error('the face was refused');
  if (!(await process.database.transact((trx) => process.tokens.confirm(trx, session, outcome.personId)))) {
    throw new Error('the person is gone');
  }
  return outcome;
}

/** Adds this many people, each with a different face. */
export async function addPeople(process: TokenProcess, count: number) {
  const people = [];
  for (let nth = 0; nth < count; nth++) {
    const face = randomVector();
    people.push({ face, ...(await addPerson(process, face)) });
  }
  return people;
}

export async function signIn(process: TokenProcess, vector: Float32Array, among?: PersonId, owner = TOKEN_OWNER) {
  const purpose = among === undefined ? 'identify' : 'verify';
  return process.tokens.identify({ ...(await prepareAttempt(process, purpose, vector, { owner })), among });
}
