// Plays hosts and people through the service's routes and its test mode, at past times.
import type { CreatedAgeSession, CreatedVerificationSession, WatchedHits, WatchedSubject } from '@limen/contract';
import type { App } from '../../apps/server/src/app.ts';
import { named, type SessionId } from '../../apps/server/src/platform/base/ids.ts';
import type { ReviewerCount } from '../../apps/server/src/review/desk.ts';
import type { FINISH_SECONDS, Stage } from '../../apps/server/src/sessions/host/count.ts';
import { deliverWebhook } from '../../apps/server/src/webhooks/deliver.ts';
import { drawCourse } from './draw-course.ts';
import { createMadeUpReviews } from './made-up-reviews.ts';

const DAY_MS = 24 * 60 * 60_000;
const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;
/** No one listens there, like a receiver that is down. */
const NOBODY = 'http://127.0.0.1:9/hooks/limen';
/**
 * Hours before the end at which a receiver may be down: between two attempts of a webhook, or after
 * the last. Attempts due within an hour of the end would be made immediately.
 */
const DOWN_HOURS: readonly (readonly [from: number, to: number])[] = [
  [3, 6],
  [9, 15],
  [20, Number.POSITIVE_INFINITY],
];
/** All attempts of a webhook have failed by then. */
const GIVEN_UP_AFTER_MS = 20 * 60 * MINUTE_MS;
/** Time until someone follows the link. */
const OPENED_AFTER = 0.15;
/** Constant, so that different people see the same data. */
const SEED = 20_260_301;

/** With percentages. */
type Shares<T> = readonly (readonly [share: number, what: T])[];

const AGE_ENDS: Shares<{ outcome: string; flags?: string[]; age?: number; documentAge?: number }> = [
  [58, { outcome: 'above' }],
  [6, { outcome: 'above', documentAge: 31 }],
  [4, { outcome: 'above', flags: ['LIGHT_NOT_AS_DRAWN'] }],
  [3, { outcome: 'above', flags: ['CAMERA_VIRTUAL_SOFTWARE'] }],
  [8, { outcome: 'below', age: 16 }],
  [3, { outcome: 'spoof' }],
  [2, { outcome: 'face_mismatch' }],
  [4, { outcome: 'camera_failure' }],
  [7, { outcome: 'cancelled' }],
  [5, { outcome: 'expired' }],
];
const VERIFICATION_ENDS: Shares<{ outcome: string; newDevice?: boolean }> = [
  [74, { outcome: 'success' }],
  [8, { outcome: 'success', newDevice: true }],
  [8, { outcome: 'not_recognized' }],
  [3, { outcome: 'spoof' }],
  [7, { outcome: 'cancelled' }],
];
/** Outcomes without an end. */
const DROPPED: readonly string[] = ['cancelled', 'expired', 'camera_failure'];
/** How far these people come, as reported by their devices. */
const REACHED: Shares<readonly Stage[]> = [
  [35, []],
  [40, ['opened']],
  [25, ['opened', 'face']],
];
/** Seconds from opening the page to the answer. */
const FINISHED: Shares<(typeof FINISH_SECONDS)[number]> = [
  [4, 10],
  [22, 20],
  [31, 30],
  [21, 45],
  [11, 60],
  [6, 90],
  [3, 120],
  [2, 300],
];
/** Invented faces: numbers that belong to no one. */
const PEOPLE = 4;
const FACE_NUMBERS = 128;
/** By hour, following shopping habits. */
const RHYTHM = [1, 1, 0, 0, 0, 1, 2, 4, 6, 7, 8, 8, 9, 9, 8, 8, 8, 9, 10, 11, 10, 8, 5, 3];

/** All fictional. Three are on the demo list, or nearly. */
const SUBJECTS = [
  'Ana Petrova Holm',
  'Lindqvist Marine Trading',
  'Joaquim Teixeira Prado',
  'Marta Okonkwo-Reyes',
  'Benedikt Halvorsen',
  'Yusra al-Tamimi',
  'Nadia Fontaine',
  'Pavel Zelenka',
];

/** Labels of the played hosts' keys. */
export const MADE_UP = { shop: 'Corner Shop (made up)', bank: 'Harbour Bank (made up)' } as const;

export function isMadeUp({ label }: { label: string | null }): boolean {
  return label === MADE_UP.shop || label === MADE_UP.bank;
}

interface PlayOptions {
  /** Accepts every webhook. */
  receiver: string;
  /** Replies 410 to every webhook, so that it is given up immediately. */
  closed: string;
  /** How many reviewers must agree. */
  eyes: ReviewerCount;
  /** Milliseconds since 1970; everything lies before. */
  end: number;
  days: number;
  /** Retention of a session after its end. */
  retentionMs: number;
  setTime(time: number): void;
  onProgress(done: number, total: number): void;
}

export interface Played {
  sessions: number;
  subjects: number;
  hits: number;
  /** Ids of enrolled people. */
  puids: string[];
}

interface Key {
  apiKey: string;
  id: string;
}

interface PlayedPerson {
  /** Id of the session. */
  id: string;
  kind: 'age' | 'verification';
  outcome: string;
  time: number;
  seconds: number;
  /** As requested. */
  steps: number;
}

export async function playActivity(
  app: App,
  { receiver, closed, eyes, end, days, retentionMs, setTime, onProgress }: PlayOptions,
): Promise<Played> {
  const random = createRandom(SEED);
  const ask = async ({ apiKey }: Key, method: 'GET' | 'POST', url: string, payload?: object, mayMeet?: number) => {
    const reply = await app.http.inject({ method, url, headers: { 'x-api-key': apiKey }, ...(payload && { payload }) });
    if (reply.statusCode >= 300 && reply.statusCode !== mayMeet) throw new Error(`${method} ${url}: ${reply.body}`);
    return reply;
  };
  const call = async <T>(...asked: Parameters<typeof ask>): Promise<T> => (await ask(...asked)).json<T>();
  /**
   * A concurrently running service expires sessions in the past, sometimes before this has ended
   * them.
   */
  const finish = (key: Key, url: string, payload: object) => ask(key, 'POST', url, payload, 409);
  const start = end - days * DAY_MS;
  setTime(start);
  const newKey = async (label: string) => {
    const { apiKey, record } = await app.apiKeys.create({ kind: 'test', label, clientCredentials: false });
    return { apiKey, id: record.id };
  };
  const [shop, bank] = [await newKey(MADE_UP.shop), await newKey(MADE_UP.bank)];
  const reviews = createMadeUpReviews(app.desk!, { eyes, setTime, work, random: createRandom(SEED) });

  let hasGivenUp = false;
  const times = drawTimes(random, start, end);
  for (const [nth, time] of times.entries()) {
    await reviews.decideUntil(time);
    setTime(time);
    await (random() < 0.7 ? playAge(nth, time) : playVerification(nth, time));
    if (nth % 20 === 0) onProgress(nth, times.length);
    await work();
  }
  await reviews.decideUntil(end);
  setTime(end - 2 * MINUTE_MS);
  await call(shop, 'POST', '/session', {}); // one that someone is about to open
  setTime(end);
  const played = { sessions: times.length + 1, ...(await playWatching()), puids: await enrollPeople() };
  // Pending work was scheduled an hour ahead, which the doctor would take for a wrong clock.
  await app.database.queries.updateTable('jobs').set({ created_at: end }).where('created_at', '>', end).execute();
  return played;

  async function playAge(nth: number, time: number): Promise<void> {
    const ending = pick(random, AGE_ENDS);
    const withDocument = 'documentAge' in ending || ending.outcome === 'face_mismatch';
    // An old webhook has no later attempts, because a service on the same data would take them over
    // without a body to send.
    const isKept = time + retentionMs > end;
    // The first old one is always given up, so that there is one at any hour. More of the oldest
    // webhooks that still have a body are given up, so that something can be resent.
    const failing = isKept && end - time > GIVEN_UP_AFTER_MS ? 0.5 : 0.08;
    const isTaken = random() >= failing && (isKept || hasGivenUp);
    hasGivenUp ||= !isKept;
    const isDown = !isTaken && isKept && isBetweenTries(end - time);
    const { token, launchUrl } = await call<CreatedAgeSession>(shop, 'POST', '/session', {
      ageThreshold: 18,
      metadata: { order: `A-${10_000 + nth}` },
      ...(withDocument && { requirements: ['face', 'identity_document'] }),
      callback: { url: isDown ? NOBODY : isTaken || isKept ? receiver : closed },
    });
    const seconds = pick(random, FINISHED);
    setTime(time + seconds * SECOND_MS);
    await finish(shop, `/session/${token}/simulate`, ending);
    const steps = withDocument ? 2 : 1;
    const id = new URL(launchUrl).searchParams.get('sessionId')!;
    await playPerson(shop, { id, kind: 'age', outcome: ending.outcome, time, seconds, steps });
  }

  async function playVerification(nth: number, time: number): Promise<void> {
    const type = random() < 0.3 ? 'ENROLL' : 'SIGN-IN';
    const { newDevice, ...ending } = pick(random, VERIFICATION_ENDS);
    const { sessionId } = await call<CreatedVerificationSession>(bank, 'POST', '/v2/verification-session', {
      type,
      locale: 'en',
      redirectURL: 'https://bank.example/welcome',
      callback: { url: receiver },
      transactionID: `login-${20_000 + nth}`,
    });
    const outcome = type === 'ENROLL' && ending.outcome === 'not_recognized' ? { outcome: 'success' } : ending;
    const more = newDevice && type === 'SIGN-IN' ? { newDevice } : {};
    const seconds = pick(random, FINISHED);
    setTime(time + seconds * SECOND_MS);
    await finish(bank, `/v2/verification-session/${sessionId}/simulate`, { ...outcome, ...more });
    await playPerson(bank, { id: sessionId, kind: 'verification', outcome: outcome.outcome, time, seconds, steps: 1 });
  }

  /**
   * Writes the devices' reports, which the test mode lacks: how far people came, and their times.
   */
  async function playPerson(key: Key, { id, kind, outcome, time, seconds, steps }: PlayedPerson): Promise<void> {
    const reached = DROPPED.includes(outcome) ? pick(random, REACHED) : undefined;
    const names = reached?.map((stage) => `${kind}/stage/${stage}`) ?? [`${kind}/seconds/${seconds}`];
    app.activity.count({ apiKeyId: key.id, world: 'test' }, names);
    const luck = random();
    await reviews.plan(named<SessionId>(id));
    if (reached?.length === 0) return;
    const leftAt = time + seconds * SECOND_MS;
    const openedAt = time + Math.floor(seconds * SECOND_MS * OPENED_AFTER);
    const begun = reached ? Number(reached.includes('face')) : steps;
    const state = drawCourse({ openedAt, leftAt, steps: begun, isFinished: !reached, luck });
    const insert = app.deviceChannels!.toInsert(named<SessionId>(id), state);
    // A service on the same data may have deleted an old session in the meantime.
    await app.database.transact(async (trx) => {
      const session = trx.selectFrom('sessions').select('id').where('id', '=', named<SessionId>(id));
      if (await session.executeTakeFirst()) await insert(trx);
    });
  }

  /** For the console's people page, which finds them by puid. */
  async function enrollPeople(): Promise<string[]> {
    const puids: string[] = [];
    for (let nth = 0; nth < PEOPLE; nth += 1) {
      const embedding_vector = Array.from({ length: FACE_NUMBERS }, () => random() * 2 - 1);
      const payload = { features: { type: 'face', embedding_vector } };
      puids.push((await call<{ puid: string }>(bank, 'POST', '/node/plainEnroll', payload)).puid);
    }
    return puids;
  }

  /** Sends webhooks, each attempt at its time, and screens subjects. */
  async function work(): Promise<void> {
    do {
      const next = await findNextTry();
      if (next !== undefined) setTime(next);
    } while ((await app.jobs.runDue()) > 0);
  }

  /** Times of a failed webhook's further attempts. */
  async function findNextTry(): Promise<number | undefined> {
    const job = await app.database.queries
      .selectFrom('jobs')
      .select('run_at')
      .where('kind', '=', deliverWebhook.kind)
      .where('run_at', '<=', end)
      .orderBy('run_at')
      .limit(1)
      .executeTakeFirst();
    return job?.run_at;
  }

  async function playWatching(): Promise<Pick<Played, 'subjects' | 'hits'>> {
    let hits = 0;
    const watched: string[] = [];
    for (const [nth, name] of [...SUBJECTS, ...(await namesOfDemoList())].entries()) {
      const body = { reference: `customer-${1000 + nth}`, name, dataset: 'demo', scoreThreshold: 0.85 };
      watched.push((await call<WatchedSubject>(bank, 'POST', '/v2/screening/subjects', body)).id);
    }
    await work();
    for (const id of watched)
      hits += (await call<WatchedHits>(bank, 'GET', `/v2/screening/subjects/${id}/hits`)).hits.length;
    return { subjects: watched.length, hits };
  }

  /** A few listed subjects, so that there is something to decide. */
  async function namesOfDemoList(): Promise<string[]> {
    const { results } = await call<{ results: { caption: string }[] }>(bank, 'GET', '/yente/search/demo?q=&limit=4');
    return results.map(({ caption }) => caption);
  }
}

function isBetweenTries(ms: number): boolean {
  const hours = ms / (60 * MINUTE_MS);
  return DOWN_HOURS.some(([from, to]) => hours >= from && hours < to);
}

function drawTimes(random: () => number, start: number, end: number): number[] {
  const times: number[] = [];
  const most = Math.max(...RHYTHM);
  for (let hour = start; hour < end; hour += 60 * MINUTE_MS) {
    const busy = RHYTHM[new Date(hour).getUTCHours()]! / most;
    const count = Math.round(busy * 5 * (0.5 + random()));
    for (let nth = 0; nth < count; nth += 1) times.push(hour + Math.floor(random() * 60 * MINUTE_MS));
  }
  return times.filter((time) => time < end - 5 * MINUTE_MS).sort((a, b) => a - b);
}

function pick<T>(random: () => number, shares: Shares<T>): T {
  let left = random() * 100;
  for (const [share, what] of shares) {
    left -= share;
    if (left < 0) return what;
  }
  return shares[0]![1];
}

/** Mulberry32. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
