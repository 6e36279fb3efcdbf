// Hands a session from one device to another: the offer, a look at it, the takeover, and the code that goes back.
// The service cannot read the box of findings that goes along.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { CarriedBox, HandoffRequest } from '@limen/contract';
import { carriedSteps, finishedSteps, mayCarry, readPlan } from '@limen/plan';
import type { Clock } from '../../platform/base/clock.ts';
import { ConflictError, invalid } from '../../platform/base/errors.ts';
import type { SessionId } from '../../platform/base/ids.ts';
import type { Database } from '../../platform/database/database.ts';
import { inBatches } from '../../platform/jobs/in-batches.ts';
import { defineRecurringJob } from '../../platform/jobs/job.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import { HANDOFF_CODE_TTL_MS, MAX_HANDOFF_CODES } from '../limits.ts';
import type { ChannelState, HeldPlan } from './channel-state.ts';
import { drawPlan } from './draw-plan.ts';
import { type Found, requireOpen, type Turn } from './find-channel.ts';
import {
  claimRefused,
  handoffRefused,
  noMoreCodes,
  noReturnCode,
  notClaimed,
  returnCodeRefused,
  wrongNumber,
} from './refusals.ts';
import { type Signer, verifyText } from './signature.ts';
import {
  advanceCounter,
  carriedOn,
  countRefusal,
  drawChoices,
  endHandoff,
  firstDeviceOf,
  judgeClaim,
  offerHandoff,
  takeOver,
  tryReturnCode,
} from './state.ts';
import type { ChannelRecord, ChannelStore } from './store.ts';

const CODE_BYTES = 16;

interface HandoffCallsOptions {
  database: Database;
  store: ChannelStore;
  clock: Clock;
  launchUrl: (sessionId: SessionId) => URL;
  modelManifest: () => string | null;
  onChange(sessionId: SessionId): void;
}

export function createHandoffCalls(options: HandoffCallsOptions) {
  const { database, store, clock, launchUrl, modelManifest, onChange } = options;

  return {
    async offer(turn: Turn, request: HandoffRequest, deviceKey: string) {
      const { session, flow, record, state } = turn;
      if (flow.describe().handoff === 'refuse') throw handoffRefused();
      if (state.handoffsMade >= MAX_HANDOFF_CODES) throw noMoreCodes();
      const box = await readBox(turn, request, deviceKey);
      const code = randomBytes(CODE_BYTES).toString('base64url');
      const madeAt = clock.now();
      const expiresAt = Math.min(madeAt + HANDOFF_CODE_TTL_MS, session.expiresAt);
      const { number, choices } = drawChoices();
      const { browser, system } = request.began;
      const offered = offerHandoff(state, {
        digest: digestOf(code),
        madeAt,
        expiresAt,
        number,
        choices,
        began: { browser, system },
        carries: box?.steps ?? [],
        sealedAtEntry: state.log.length,
      });
      await database.transact(store.toUpdate(session.id, record, offered, box && { ...box, expiresAt }));
      // Who follows is not told: what changed is seen by the device that asked.
      const url = launchUrl(session.id);
      url.hash = `handoff=${code}`;
      return { url: url.href, code, number, expiresAt: new Date(expiresAt).toISOString() };
    },

    look(found: Found, code: string, { key }: Signer) {
      requireOpen(found);
      const { flow, record } = found;
      if (!record) throw notClaimed();
      const verdict = judgeClaim(record.state, key, digestOf(code), clock.now());
      if (verdict !== 'takes over' && verdict !== 'holds') throw claimRefused(verdict);
      const { handoff, openedAt } = record.state;
      // The device that made a code holds the session, whatever the code is.
      if (handoff?.digest !== digestOf(code)) throw claimRefused('code does not work');
      const { asks, host } = flow.describe();
      return {
        requester: asks.requester,
        redirectOrigin: host === undefined ? null : originOf(host),
        began: { ...handoff.began, at: new Date(openedAt).toISOString() },
        choices: [...handoff.choices],
      };
    },

    /** The state with the session in the hands of this signer, written. Its claim was judged before. */
    async take(found: Found, record: ChannelRecord, signer: Signer, number: string | undefined) {
      const { session } = found;
      const { state } = record;
      const { plan, log, handoff } = state;
      if (!plan || !handoff) throw new ConflictError(); // it ended between the two reads
      if (number === undefined) {
        throw invalid('body.number', 'is required with a code: one of the choices that handoff/look returns');
      }
      if (!isSame(number, handoff.number)) {
        await database.transact(store.toUpdate(session.id, record, refuseHandoff(state, 'wrongNumber')));
        onChange(session.id);
        throw wrongNumber();
      }
      const now = clock.now();
      const before = { plan, log, carried: carriedOn(state) };
      const next = await drawPlan({ ...found, modelManifest: modelManifest(), before, now });
      const taken = takeOver(state, signer, next, now, before.carried.length > 0);
      await handOn(found, record, plan, next, taken);
      onChange(session.id);
      return taken;
    },

    /** Voids the code, because the device that has it declines the session. */
    async decline(found: Found, code: string, signer: Signer) {
      requireOpen(found);
      const { session, record } = found;
      if (!record) throw notClaimed();
      const verdict = judgeClaim(record.state, signer.key, digestOf(code), clock.now());
      // Who holds the session makes a new code, or ends it.
      if (verdict !== 'takes over') throw claimRefused(verdict === 'holds' ? 'code does not work' : verdict);
      const declined = refuseHandoff(advanceCounter(record.state, signer), 'declined');
      await database.transact(store.toUpdate(session.id, record, declined));
      onChange(session.id);
    },

    /** Throws a refusal unless the code is the one that the other device shows. */
    async giveBack({ session, flow, record }: Found, code: string, signer: Signer) {
      if (!record || firstDeviceOf(record.state) !== signer.key) throw noReturnCode();
      const { redirectUrl, returnsByCode } = flow.describe();
      const { returning } = record.state;
      if (!returnsByCode || redirectUrl === undefined || !returning) throw noReturnCode();
      if (returning.done) return;
      const tried = tryReturnCode(returning, isSame(code, returning.code), digestOf(code));
      const state = { ...advanceCounter(record.state, signer), returning: tried };
      await database.transact(store.toUpdate(session.id, record, state));
      if (!tried.done) throw returnCodeRefused(tried.triesLeft);
      onChange(session.id);
    },
  };

  /** With what the kind of session keeps of its steps by itself; the channel last, as at a session's end. */
  async function handOn(
    { session, flow }: Found,
    record: ChannelRecord,
    held: HeldPlan,
    next: HeldPlan,
    taken: ChannelState,
  ): Promise<void> {
    const keep = store.toUpdate(session.id, record, taken);
    const plan = readPlan(held.text);
    const change = { from: { plan, carried: carriedSteps(plan, record.state.log) }, to: readPlan(next.text) };
    await database.transact(async (trx) => {
      await flow.handOn?.(trx, change);
      await keep(trx);
    });
  }
}

/** Whoever says no may have been sent the code by somebody else, as much as whoever guesses. */
function refuseHandoff(state: ChannelState, why: 'wrongNumber' | 'declined'): ChannelState {
  return endHandoff(countRefusal(state, 'handoffNumbersWrong') ?? state, why);
}

export function digestOf(code: string): string {
  return createHash('sha256').update(code).digest('base64url');
}

/** In a time that does not depend on where they differ. */
function isSame(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(digestOf(one)), Buffer.from(digestOf(other)));
}

/** The scheme of an app has no origin. */
function originOf(address: string): string {
  const { origin, protocol } = new URL(address);
  return origin === 'null' ? protocol : origin;
}

const LABEL = 'limen-handoff-box-v1';

/** Undefined where nothing goes along. */
async function readBox(turn: Turn, { carried }: HandoffRequest, deviceKey: string): Promise<CarriedBox | undefined> {
  if (!carried) return undefined;
  const { session, held, plan, state } = turn;
  const { box, steps, signature } = carried;
  if (!mayCarry(plan.steps, steps)) {
    throw invalid(
      'body.carried',
      'must be left out: the plan asks for a picture of the face, or compares the face with somebody, so the next device ' +
        'must see the face itself; it can be carried over only with a passkey that was used here',
    );
  }
  const finished = finishedSteps(plan, state.log);
  if (!steps.every((position, index) => position === finished[index])) {
    throw invalid(
      'body.carried.steps',
      'must be steps that were reported as finished, starting with the first and in order',
    );
  }
  const planHash = createHash('sha256').update(held.text).digest('hex');
  const bytes = Buffer.from(box, 'base64url');
  const boxHash = createHash('sha256').update(bytes).digest('hex');
  const text = [LABEL, session.id, planHash, steps.join(','), boxHash].join('\n');
  if (bytes.toString('base64url') !== box || !(await verifyText(text, deviceKey, signature))) {
    throw invalid(
      'body.carried.signature',
      'must be made with the device’s key over the box, as docs/device-protocol.md describes',
    );
  }
  return { box, steps: [...steps], signature, deviceKey, planHash };
}

/** From its expiry on, a box is reported as gone; its row is deleted this much later. */
const PURGE_EVERY_MS = 10_000;
const BATCH = 100;

const purgeBoxes = defineRecurringJob('handoff.boxes', PURGE_EVERY_MS);

export function registerBoxTimer(jobs: Jobs, store: Pick<ChannelStore, 'purgeBoxes'>, clock: Clock): void {
  jobs.handle(purgeBoxes, (_payload, { signal }) =>
    inBatches(signal, BATCH, () => store.purgeBoxes(clock.now(), BATCH)),
  );
}
