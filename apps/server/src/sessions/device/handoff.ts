// Hands a session from one device to another: the offer, a look at it, the takeover, and the code that goes back.
import { createHash, randomBytes } from 'node:crypto';
import type { HandoffRequest } from '@limen/contract';
import { listCarriedSteps, listFinishedSteps, mayCarry, readPlan } from '@limen/plan';
import { ConflictError, invalid } from '../../platform/base/errors.ts';
import type { SessionId } from '../../platform/base/ids.ts';
import { isSameText } from '../../platform/sealing/same-text.ts';
import { HANDOFF_CODE_TTL_MS, MAX_HANDOFF_CODES } from '../limits.ts';
import { drawPlan } from './draw-plan.ts';
import { refusal, returnCodeRefused } from './refusals.ts';
import { type Signer, verifyText } from './signature.ts';
import {
  advanceCounter,
  carriedOn,
  digestContent,
  drawChoices,
  findFirstDevice,
  judgeClaim,
  offerHandoff,
  refuseHandoff,
  takeOver,
  tryReturnCode,
} from './state.ts';
import type { ChannelRecord } from './store.ts';
import { type ChannelLookup, type DeviceTurn, type DeviceTurns, requireClaimed, requireNewCounter } from './turns.ts';

const CODE_BYTES = 16;
const BOX_LABEL = 'limen-handoff-box-v1';

export class Handoffs {
  readonly #turns: DeviceTurns;

  constructor(turns: DeviceTurns) {
    this.#turns = turns;
  }

  offer(sessionId: SessionId, signer: Signer, request: HandoffRequest) {
    const { store, launchUrl } = this.#turns.parts;
    return this.#turns.decide(sessionId, async (found) => {
      const turn = await this.#turns.requireTurn(found, signer);
      const { session, flow, record, state } = turn;
      if (flow.describe().handoff === 'refuse') throw refusal('handoffRefused');
      if (state.handoffsMade >= MAX_HANDOFF_CODES) throw refusal('noMoreCodes');
      const box = request.carried && (await readBox(turn, request.carried, signer.key));
      const code = randomBytes(CODE_BYTES).toString('base64url');
      const madeAt = this.#turns.now();
      const expiresAt = Math.min(madeAt + HANDOFF_CODE_TTL_MS, session.expiresAt);
      const { number, choices } = drawChoices();
      const { browser, system } = request.began;
      const offered = offerHandoff(state, {
        digest: digestContent(code),
        madeAt,
        expiresAt,
        number,
        choices,
        began: { browser, system },
        carries: box?.steps ?? [],
        sealedAtEntry: state.log.length,
      });
      // Followers are not notified; only the requesting device sees the change.
      await this.#turns.write(store.toUpdate(session.id, record, offered, box && { ...box, expiresAt }));
      const url = launchUrl(session.id);
      url.hash = `handoff=${code}`;
      return { url: url.href, code, number, expiresAt: new Date(expiresAt).toISOString() };
    });
  }

  async look(sessionId: SessionId, signer: Signer, { code }: { code: string }) {
    const { flow, record } = requireClaimed(await this.#turns.findToRead(sessionId, signer));
    const verdict = judgeClaim(record.state, signer.key, digestContent(code), this.#turns.now());
    if (verdict !== 'takes over' && verdict !== 'holds') throw refusal(verdict);
    const { handoff, openedAt } = record.state;
    // The device that made the code holds the session with any code.
    if (handoff?.digest !== digestContent(code)) throw refusal('code does not work');
    const { asks, host } = flow.describe();
    return {
      requester: asks.requester,
      redirectOrigin: host === undefined ? null : parseOrigin(host),
      began: { ...handoff.began, at: new Date(openedAt).toISOString() },
      choices: [...handoff.choices],
    };
  }

  /** Hands the session to this signer, whose claim was judged before, and returns the new state. */
  async take(found: ChannelLookup & { record: ChannelRecord }, signer: Signer, number: string | undefined) {
    const { session, flow, record } = found;
    const { state } = record;
    const { plan, log, handoff } = state;
    const { modelManifest, onChange } = this.#turns.parts;
    if (!plan || !handoff) throw new ConflictError(); // it ended between the two reads
    if (number === undefined) {
      throw invalid('body.number', 'is required with a code: one of the choices that handoff/look returns');
    }
    if (!isSameText(number, handoff.number)) {
      await this.#turns.save(found, refuseHandoff(state, 'wrongNumber'));
      onChange(session.id);
      throw refusal('wrongNumber');
    }
    const now = this.#turns.now();
    const before = { plan, log, carried: carriedOn(state) };
    const next = await drawPlan({ session, flow, modelManifest: modelManifest(), before, now });
    const taken = takeOver(state, signer, next, now, before.carried.length > 0);
    const left = readPlan(plan.text);
    const from = { plan: left, carried: listCarriedSteps(left, log) };
    await this.#turns.save(found, taken, async (trx) => flow.handOn?.(trx, from, readPlan(next.text)));
    onChange(session.id);
    return taken;
  }

  /** Voids the code, because the person at the next device declines the session. */
  decline(sessionId: SessionId, signer: Signer, { code }: { code: string }) {
    return this.#turns.decide(sessionId, async (found) => {
      requireNewCounter(found.record, signer);
      const { session, record } = requireClaimed(found);
      const verdict = judgeClaim(record.state, signer.key, digestContent(code), this.#turns.now());
      // The device that holds the session makes a new code, or ends it.
      if (verdict !== 'takes over') throw refusal(verdict === 'holds' ? 'code does not work' : verdict);
      const declined = refuseHandoff(advanceCounter(record.state, signer), 'declined');
      await this.#turns.save({ session, record }, declined);
      this.#turns.parts.onChange(session.id);
      return this.#turns.view(sessionId, signer.key);
    });
  }

  /** Takes the code that the other device shows, typed on the device that began. */
  giveBack(sessionId: SessionId, signer: Signer, { code }: { code: string }) {
    return this.#turns.decide(sessionId, async ({ session, flow, record }) => {
      requireNewCounter(record, signer);
      if (!record || findFirstDevice(record.state) !== signer.key) throw refusal('noReturnCode');
      const { redirectUrl, returnsByCode } = flow.describe();
      const { returning } = record.state;
      if (!returnsByCode || redirectUrl === undefined || !returning) throw refusal('noReturnCode');
      if (!returning.done) {
        const tried = tryReturnCode(returning, isSameText(code, returning.code), digestContent(code));
        await this.#turns.save({ session, record }, { ...advanceCounter(record.state, signer), returning: tried });
        if (!tried.done) throw returnCodeRefused(tried.triesLeft);
        this.#turns.parts.onChange(session.id);
      }
      return this.#turns.view(sessionId, signer.key);
    });
  }
}

/** Verifies which device sealed the box of findings, and for which steps. The service cannot read the box. */
async function readBox(
  { session, held, plan, state }: DeviceTurn,
  { box, steps, signature }: NonNullable<HandoffRequest['carried']>,
  deviceKey: string,
) {
  if (!mayCarry(plan.steps, steps)) {
    throw invalid(
      'body.carried',
      'must be left out: the plan requires a picture of the face or compares the face with a person, so the next device ' +
        'must see the face itself; it can be carried over only with a passkey that was used here',
    );
  }
  const finished = listFinishedSteps(plan, state.log);
  if (!steps.every((position, index) => position === finished[index])) {
    throw invalid(
      'body.carried.steps',
      'must be steps that were reported as finished, starting with the first and in order',
    );
  }
  const planHash = createHash('sha256').update(held.text).digest('hex');
  const bytes = Buffer.from(box, 'base64url');
  const boxHash = createHash('sha256').update(bytes).digest('hex');
  const text = [BOX_LABEL, session.id, planHash, steps.join(','), boxHash].join('\n');
  if (bytes.toString('base64url') !== box || !(await verifyText(text, deviceKey, signature))) {
    throw invalid(
      'body.carried.signature',
      'must be made with the device’s key over the box, as docs/device-protocol.md describes',
    );
  }
  return { box, steps: [...steps], signature, deviceKey, planHash };
}

/** Returns the origin of an address, or the scheme of an app, which has no origin. */
function parseOrigin(address: string): string {
  const { origin, protocol } = new URL(address);
  return origin === 'null' ? protocol : origin;
}
