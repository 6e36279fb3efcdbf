// Hands a session from one device to another: the offer, a look at it, the takeover, and the code that goes back.
// The service cannot read the box of findings that goes along.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type {
  CarriedBox,
  DeviceView,
  HandoffDeclineRequest,
  HandoffLook,
  HandoffLookRequest,
  HandoffReply,
  HandoffRequest,
  ReturnCodeRequest,
} from '@limen/contract';
import { carriedSteps, finishedSteps, mayCarry, readPlan } from '@limen/plan';
import type { Clock } from '../../platform/base/clock.ts';
import { ConflictError, invalid } from '../../platform/base/errors.ts';
import type { SessionId } from '../../platform/base/ids.ts';
import { inBatches } from '../../platform/jobs/in-batches.ts';
import { defineRecurringJob } from '../../platform/jobs/job.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import { HANDOFF_CODE_TTL_MS, MAX_HANDOFF_CODES } from '../limits.ts';
import type { ChannelState } from './channel-state.ts';
import { drawPlan } from './draw-plan.ts';
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
import {
  type ChannelLookup,
  type DeviceTurn,
  type DeviceTurns,
  requireCounter,
  requireNewCounter,
  requireOpen,
} from './turns.ts';

const CODE_BYTES = 16;

export class Handoffs {
  readonly #turns: DeviceTurns;
  readonly #launchUrl: (sessionId: SessionId) => URL;
  readonly #modelManifest: () => string | null;

  constructor(
    turns: DeviceTurns,
    { launchUrl, modelManifest }: { launchUrl: (sessionId: SessionId) => URL; modelManifest: () => string | null },
  ) {
    this.#turns = turns;
    this.#launchUrl = launchUrl;
    this.#modelManifest = modelManifest;
  }

  offer(sessionId: SessionId, signer: Signer, request: HandoffRequest): Promise<HandoffReply> {
    return this.#turns.decide(sessionId, async (found) => {
      const turn = await this.#turns.requireTurn(found, signer);
      const { session, flow, record, state } = turn;
      if (flow.describe().handoff === 'refuse') throw handoffRefused();
      if (state.handoffsMade >= MAX_HANDOFF_CODES) throw noMoreCodes();
      const box = await readBox(turn, request, signer.key);
      const code = randomBytes(CODE_BYTES).toString('base64url');
      const madeAt = this.#turns.clock.now();
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
      await this.#turns.keep(this.#turns.store.toUpdate(session.id, record, offered, box && { ...box, expiresAt }));
      // Followers are not notified; only the requesting device sees the change.
      const url = this.#launchUrl(session.id);
      url.hash = `handoff=${code}`;
      return { url: url.href, code, number, expiresAt: new Date(expiresAt).toISOString() };
    });
  }

  /** Describes a handoff before it is taken; changes nothing. */
  async look(sessionId: SessionId, signer: Signer, { code }: HandoffLookRequest): Promise<HandoffLook> {
    const found = await this.#turns.find(sessionId);
    requireCounter(found.record, signer);
    const { flow, record } = requireClaimed(found);
    const verdict = judgeClaim(record.state, signer.key, digestOf(code), this.#turns.clock.now());
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
  }

  /** Hands the session to this signer, whose claim was judged before, and returns the new state. */
  async take(
    found: ChannelLookup & { record: ChannelRecord },
    signer: Signer,
    number: string | undefined,
  ): Promise<ChannelState> {
    const { session, flow, record } = found;
    const { state } = record;
    const { plan, log, handoff } = state;
    if (!plan || !handoff) throw new ConflictError(); // it ended between the two reads
    if (number === undefined) {
      throw invalid('body.number', 'is required with a code: one of the choices that handoff/look returns');
    }
    if (!isSame(number, handoff.number)) {
      await this.#turns.save(found, refuseHandoff(state, 'wrongNumber'));
      this.#turns.onChange(session.id);
      throw wrongNumber();
    }
    const now = this.#turns.clock.now();
    const before = { plan, log, carried: carriedOn(state) };
    const next = await drawPlan({ ...found, modelManifest: this.#modelManifest(), before, now });
    const taken = takeOver(state, signer, next, now, before.carried.length > 0);
    const left = readPlan(plan.text);
    const change = { from: { plan: left, carried: carriedSteps(left, log) }, to: readPlan(next.text) };
    await this.#turns.save(found, taken, async (trx) => flow.handOn?.(trx, change));
    this.#turns.onChange(session.id);
    return taken;
  }

  /** Voids the code, because the person at the next device declines the session. */
  decline(sessionId: SessionId, signer: Signer, { code }: HandoffDeclineRequest): Promise<DeviceView> {
    return this.#turns.decide(sessionId, async (found) => {
      requireNewCounter(found.record, signer);
      const { session, record } = requireClaimed(found);
      const verdict = judgeClaim(record.state, signer.key, digestOf(code), this.#turns.clock.now());
      // The device that holds the session makes a new code, or ends it.
      if (verdict !== 'takes over') throw claimRefused(verdict === 'holds' ? 'code does not work' : verdict);
      const declined = refuseHandoff(advanceCounter(record.state, signer), 'declined');
      await this.#turns.save({ session, record }, declined);
      this.#turns.onChange(session.id);
      return this.#turns.view(sessionId, signer.key);
    });
  }

  /** Takes the code that the other device shows, typed on the device that began. */
  giveBack(sessionId: SessionId, signer: Signer, { code }: ReturnCodeRequest): Promise<DeviceView> {
    return this.#turns.decide(sessionId, async ({ session, flow, record }) => {
      requireNewCounter(record, signer);
      if (!record || firstDeviceOf(record.state) !== signer.key) throw noReturnCode();
      const { redirectUrl, returnsByCode } = flow.describe();
      const { returning } = record.state;
      if (!returnsByCode || redirectUrl === undefined || !returning) throw noReturnCode();
      if (!returning.done) {
        const tried = tryReturnCode(returning, isSame(code, returning.code), digestOf(code));
        await this.#turns.save({ session, record }, { ...advanceCounter(record.state, signer), returning: tried });
        if (!tried.done) throw returnCodeRefused(tried.triesLeft);
        this.#turns.onChange(session.id);
      }
      return this.#turns.view(sessionId, signer.key);
    });
  }
}

function requireClaimed(found: ChannelLookup) {
  requireOpen(found);
  const { record } = found;
  if (!record) throw notClaimed();
  return { ...found, record };
}

/** Counted in the risk: a person who declines may have been sent the code by someone else, as may one who guesses. */
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
async function readBox(
  turn: DeviceTurn,
  { carried }: HandoffRequest,
  deviceKey: string,
): Promise<CarriedBox | undefined> {
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
