// Binds a database to one key-holder: another one has other keys, and counts of its own that would add to the budget of guesses.
import type { Logger } from 'pino';
import type { Clock } from '../../../platform/base/clock.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { Schema } from '../../../platform/database/schema.ts';
import { READY } from '../../../platform/watch/readiness.ts';
import { type ChallengeRequest, type KeyHolder, KeyHolderUnavailableError } from './calls.ts';
import type { FindProblem } from './link.ts';

type KeyHolderRecord = Pick<Schema['key_holder'], 'identity' | 'thread'>;

export function findKeyHolderRecord({ queries }: Pick<Database, 'queries'>): Promise<KeyHolderRecord | undefined> {
  return queries.selectFrom('key_holder').select(['identity', 'thread']).executeTakeFirst();
}

export async function acceptKeyHolder({ queries }: Database, identity: Uint8Array, clock: Clock): Promise<void> {
  const row = { identity, thread: null, recorded_at: clock.now() };
  await queries
    .insertInto('key_holder')
    .values({ one: 1, ...row })
    .onConflict((conflict) => conflict.column('one').doUpdateSet(row))
    .execute();
}

export function shortIdentity(identity: Uint8Array): string {
  return Buffer.from(identity).toString('base64url').slice(0, 16);
}

function explainOtherKeyHolder(recorded: Uint8Array, brought: Uint8Array): string {
  return `This database belongs to the key-holder ${shortIdentity(recorded)}, but the connected one is ${shortIdentity(brought)}, which lacks the keys of the enrolled people: sign-ins and enrollments by face are refused. Give all processes the same KEYHOLDER_URL, or restore the first one’s folder in place of the new one. If it is lost for good: limen keyholder accept.`;
}

const SECOND_THREAD_MESSAGE =
  'Another process on this database runs its own key-holder thread, so refused attempts would be counted separately. Stop one of them (and start this one again, if it is to stay), or give both the same KEYHOLDER_URL.';

interface OneKeyHolderOptions {
  database: Database;
  thread: string | undefined;
  clock: Clock;
  log: Pick<Logger, 'error'>;
}

export function bindToKeyHolder(open: (findProblem: FindProblem) => KeyHolder, options: OneKeyHolderOptions) {
  const { database, thread, clock, log } = options;
  const { queries } = database;
  let problem: string | undefined;
  let hasClaimed = false;

  /** Checks this key-holder against the record, which is made on first use. Replaces earlier problems. */
  async function check(identity: Uint8Array): Promise<KeyHolderRecord> {
    let record = await findKeyHolderRecord(database);
    if (!record) {
      await queries
        .insertInto('key_holder')
        .values({ one: 1, identity, thread: null, recorded_at: clock.now() })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      record = (await findKeyHolderRecord(database))!;
    }
    const before = problem;
    const isOther = !Buffer.from(record.identity).equals(identity);
    // The last process that opened a challenge has the thread: a killed one cannot release it.
    const isTaken = hasClaimed && record.thread !== null && record.thread !== thread;
    problem = isTaken ? SECOND_THREAD_MESSAGE : undefined;
    if (isOther) problem = explainOtherKeyHolder(record.identity, identity);
    if (problem !== undefined && problem !== before) log.error({ reason: problem }, 'the key-holder is refused');
    return record;
  }

  async function findProblem(identity: Uint8Array): Promise<string | undefined> {
    await check(identity);
    return problem;
  }

  const keyHolder = open(findProblem);
  const examine = async () => findProblem(await keyHolder.identity());
  /** A problem counts only while its key-holder can be reached. */
  const state = () => (keyHolder.state() === READY ? (problem ?? READY) : keyHolder.state());

  return {
    ...keyHolder,
    /** Returns a sentence for an operator if the database belongs to another key-holder. Throws KeyHolderUnavailableError. */
    examine,
    state,
    isRefused: () => problem !== undefined && state() === problem,
    async report() {
      if (keyHolder.state() === READY && problem !== undefined) await examine().catch(() => {}); // `state` has the reason
      return state();
    },
    async openChallenge(ask: ChallengeRequest) {
      const opened = await keyHolder.openChallenge(ask);
      const record = await check(opened.identity);
      if (problem !== undefined) throw new KeyHolderUnavailableError(problem);
      if (thread !== undefined && record.thread !== thread) {
        await queries.updateTable('key_holder').set({ thread }).execute();
        hasClaimed = true;
      }
      return opened;
    },
    async close() {
      if (hasClaimed)
        await queries.updateTable('key_holder').set({ thread: null }).where('thread', '=', thread!).execute();
      await keyHolder.close();
    },
  };
}
