// Hands a session from one device to another: the offer, a look at it, the takeover, and the code that goes back.
// The service cannot read the box of findings that goes along.
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { HandoffRequest } from '@limen/contract';
import { carriedSteps, readPlan } from '@limen/plan';
import { ConflictError, invalid } from '../../platform/base/errors.ts';
import type { SessionId } from '../../platform/base/ids.ts';
import { HANDOFF_CODE_TTL_MS, MAX_HANDOFF_CODES } from '../limits.ts';
import type { ChannelState } from './channel-state.ts';
import { drawPlan } from './draw-plan.ts';
import { readBox } from './handoff-box.ts';
import { refusal, returnCodeRefused } from './refusals.ts';
import type { Signer } from './signature.ts';
import {
  advanceCounter,
  carriedOn,
  digestOf,
  drawChoices,
  firstDeviceOf,
  judgeClaim,
  offerHandoff,
  refuseHandoff,
  takeOver,
  tryReturnCode,
} from './state.ts';
import type { ChannelRecord } from './store.ts';
import { type ChannelLookup, type DeviceTurns, requireClaimed, requireNewCounter } from './turns.ts';

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

  offer(sessionId: SessionId, signer: Signer, request: HandoffRequest) {
    return this.#turns.decide(sessionId, async (found) => {
      const turn = await this.#turns.requireTurn(found, signer);
      const { session, flow, record, state } = turn;
      if (flow.describe().handoff === 'refuse') throw refusal('handoffRefused');
      if (state.handoffsMade >= MAX_HANDOFF_CODES) throw refusal('noMoreCodes');
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
  async look(sessionId: SessionId, signer: Signer, { code }: { code: string }) {
    const { flow, record } = requireClaimed(await this.#turns.findToRead(sessionId, signer));
    const verdict = judgeClaim(record.state, signer.key, digestOf(code), this.#turns.clock.now());
    if (verdict !== 'takes over' && verdict !== 'holds') throw refusal(verdict);
    const { handoff, openedAt } = record.state;
    // The device that made a code holds the session, whatever the code is.
    if (handoff?.digest !== digestOf(code)) throw refusal('code does not work');
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
      throw refusal('wrongNumber');
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
  decline(sessionId: SessionId, signer: Signer, { code }: { code: string }) {
    return this.#turns.decide(sessionId, async (found) => {
      requireNewCounter(found.record, signer);
      const { session, record } = requireClaimed(found);
      const verdict = judgeClaim(record.state, signer.key, digestOf(code), this.#turns.clock.now());
      // The device that holds the session makes a new code, or ends it.
      if (verdict !== 'takes over') throw refusal(verdict === 'holds' ? 'code does not work' : verdict);
      const declined = refuseHandoff(advanceCounter(record.state, signer), 'declined');
      await this.#turns.save({ session, record }, declined);
      this.#turns.onChange(session.id);
      return this.#turns.view(sessionId, signer.key);
    });
  }

  /** Takes the code that the other device shows, typed on the device that began. */
  giveBack(sessionId: SessionId, signer: Signer, { code }: { code: string }) {
    return this.#turns.decide(sessionId, async ({ session, flow, record }) => {
      requireNewCounter(record, signer);
      if (!record || firstDeviceOf(record.state) !== signer.key) throw refusal('noReturnCode');
      const { redirectUrl, returnsByCode } = flow.describe();
      const { returning } = record.state;
      if (!returnsByCode || redirectUrl === undefined || !returning) throw refusal('noReturnCode');
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

/** In a time that does not depend on where they differ. */
function isSame(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(digestOf(one)), Buffer.from(digestOf(other)));
}

/** The scheme of an app has no origin. */
function originOf(address: string): string {
  const { origin, protocol } = new URL(address);
  return origin === 'null' ? protocol : origin;
}
