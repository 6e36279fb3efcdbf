// Holds a database to one key-holder: another one has other keys and counts of its own, and each would have a budget of guesses.
import type { Logger } from 'pino';
import type { Clock } from '../../../platform/base/clock.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { Schema } from '../../../platform/database/schema.ts';
import { READY } from '../../../platform/watch/readiness.ts';
import { type ChallengeRequest, type KeyHolder, KeyHolderUnavailable } from './calls.ts';
import type { FindProblem } from './link.ts';

/** `thread`: the process that has it as a thread. */
type KeyHolderRecord = Pick<Schema['key_holder'], 'identity' | 'thread'>;

export function findKeyHolderRecord({ queries }: Pick<Database, 'queries'>): Promise<KeyHolderRecord | undefined> {
  return queries.selectFrom('key_holder').select(['identity', 'thread']).executeTakeFirst();
}

/** From now on this is the one, whichever it was before. */
export async function acceptKeyHolder({ queries }: Database, identity: Uint8Array, clock: Clock): Promise<void> {
  const row = { identity, thread: null, recorded_at: clock.now() };
  await queries
    .insertInto('key_holder')
    .values({ one: 1, ...row })
    .onConflict((conflict) => conflict.column('one').doUpdateSet(row))
    .execute();
}

/** The first digits of the public key: enough for an operator to tell two apart. */
export function shortIdentity(identity: Uint8Array): string {
  return Buffer.from(identity).toString('base64url').slice(0, 16);
}

function explainOtherKeyHolder(recorded: Uint8Array, brought: Uint8Array): string {
  return `This database belongs to the key-holder ${shortIdentity(recorded)}, and the one that answers is ${shortIdentity(brought)}, which has no key of the people who are enrolled: sign-ins and enrollments by face are refused. Give all processes the same KEYHOLDER_URL, or restore the first one’s folder in place of the new one. If it is lost for good: limen keyholder accept.`;
}

const ANOTHER_THREAD =
  'Another process on this database has a key-holder thread of its own: their counts of refused attempts would add up. Stop one of them (and start this one again, if it is to stay), or give both the same KEYHOLDER_URL.';

interface OneKeyHolderOptions {
  database: Database;
  /** Names this process where the key-holder is a thread of it. */
  thread: string | undefined;
  clock: Clock;
  log: Pick<Logger, 'error'>;
}

export type OneKeyHolder = ReturnType<typeof holdToOne>;

/** `open` gets what its link has to ask about each connection. */
export function holdToOne(open: (findProblem: FindProblem) => KeyHolder, options: OneKeyHolderOptions) {
  const { database, thread, clock, log } = options;
  const { queries } = database;
  let problem: string | undefined;
  let hasClaimed = false;

  /** The record as it is, made by the first who comes. */
  async function recordOf(identity: Uint8Array): Promise<KeyHolderRecord> {
    const found = await findKeyHolderRecord(database);
    if (found) return found;
    await queries
      .insertInto('key_holder')
      .values({ one: 1, identity, thread: null, recorded_at: clock.now() })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    return (await findKeyHolderRecord(database))!;
  }

  /** Finds what speaks against this key-holder as the record stands now; earlier problems no longer count. */
  async function look(identity: Uint8Array): Promise<KeyHolderRecord> {
    const record = await recordOf(identity);
    const before = problem;
    const isOther = !Buffer.from(record.identity).equals(identity);
    if (isOther) problem = explainOtherKeyHolder(record.identity, identity);
    else problem = isTaken(record) ? ANOTHER_THREAD : undefined;
    if (problem !== undefined && problem !== before) log.error({ reason: problem }, 'the key-holder is refused');
    return record;
  }

  async function findProblem(identity: Uint8Array): Promise<string | undefined> {
    await look(identity);
    return problem;
  }

  /** The last process to be asked for a challenge has the thread: one that was killed cannot give it back. */
  function isTaken(record: KeyHolderRecord): boolean {
    return hasClaimed && record.thread !== null && record.thread !== thread;
  }

  async function claimThread(record: KeyHolderRecord): Promise<void> {
    if (thread === undefined || record.thread === thread) return;
    await queries.updateTable('key_holder').set({ thread }).execute();
    hasClaimed = true;
  }

  const keyHolder = open(findProblem);
  const examine = async () => findProblem(await keyHolder.identity());
  /** The problem counts only while its key-holder can be reached. */
  const state = () => (keyHolder.state() === READY ? (problem ?? READY) : keyHolder.state());
  const isRefused = () => problem !== undefined && state() === problem;

  return {
    ...keyHolder,
    /** Returns a sentence for an operator if this is not the key-holder of the database. Throws KeyHolderUnavailable if it is silent. */
    examine,
    state,
    /** Returns whether a key-holder answers and is not called, because it is not the one of the database. */
    isRefused,
    /** Returns `state`, after another look at a key-holder that was refused. */
    async report() {
      const isReached = keyHolder.state() === READY;
      if (isReached && problem !== undefined) await examine().catch(() => {}); // `state` says what it is
      return state();
    },
    async openChallenge(ask: ChallengeRequest) {
      const opened = await keyHolder.openChallenge(ask);
      const record = await look(opened.identity);
      if (problem !== undefined) throw new KeyHolderUnavailable(problem);
      await claimThread(record);
      return opened;
    },
    async close() {
      if (hasClaimed)
        await queries.updateTable('key_holder').set({ thread: null }).where('thread', '=', thread!).execute();
      await keyHolder.close();
    },
  };
}
