// Takes calls that only one kind of session knows: from its active device, once, and kept under the plan they came for.
// Also takes the calls that are offered to the device after the end.
import { carriedSteps, type DevicePlan, type PlanStep, readPlan, runningStep, type WalletRefusal } from '@limen/plan';
import type { Clock } from '../../platform/base/clock.ts';
import { AppError, ConflictError } from '../../platform/base/errors.ts';
import type { SessionId } from '../../platform/base/ids.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import type { SessionKind } from '../lifecycle/kinds.ts';
import { isOfKind, type Session } from '../lifecycle/session.ts';
import type { BehaviorFacts } from '../risk/measure-behavior.ts';
import type { ChannelState, OfferState } from './channel-state.ts';
import { openSealed } from './envelope.ts';
import { type Found, requireOpen, type Turn } from './find-channel.ts';
import type { Keep } from './flow.ts';
import { deviceMismatch, noSuchSession } from './refusals.ts';
import type { Signer } from './signature.ts';
import { advanceCounter, behaviorOfState, closeChannel, firstDeviceOf } from './state.ts';
import type { ChannelRecord, ChannelStore } from './store.ts';

export interface TakenCall<Kind extends SessionKind = SessionKind> {
  session: Session<Kind>;
  plan: DevicePlan;
  /** As the device got it. */
  planText: string;
  /** The key with which it holds the session. */
  deviceKey: string;
  /** Whether this device began the session. */
  isFirstDevice: boolean;
  /** The steps that the device before has done, by what was reported. */
  carried: readonly PlanStep['step'][];
  /** The step that has begun and is not finished, by what was reported. */
  running: PlanStep | undefined;
  /** What was sealed to the plan's key under this label; undefined when it was not. */
  open(envelope: Uint8Array, label: string): Buffer | undefined;
  /**
   * Writes what the call found, unless the session has ended or was handed on since. Whoever writes for this session
   * does it through here, so that `write` may read first: when somebody else was at it, all of it is done once more.
   */
  keep<T>(write: (trx: Transaction) => Promise<T>): Promise<T>;
  /** Ends the session by what the call found, under the same conditions; `finish` says false when it had ended already. */
  end(finish: (behavior: BehaviorFacts, keep: Keep) => Promise<boolean>): Promise<void>;
}

/** What a device held when something was begun for it that somebody else finishes. */
export interface DeviceHold {
  deviceKey: string;
  /** Of the plan that it followed. */
  nonce: string;
}

export interface CallHandler<Kind extends SessionKind, Reserved, Reply> {
  kind: Kind;
  /** In the transaction that uses the call's counter up; may come again when another call was first. */
  reserve(trx: Transaction, call: TakenCall<Kind>): Promise<Reserved>;
  /** Once, however long it takes. */
  work(call: TakenCall<Kind>, reserved: Reserved): Promise<Reply>;
}

interface TakeOptions {
  database: Database;
  store: ChannelStore;
  decide<T>(sessionId: SessionId, work: (found: Found) => Promise<T>): Promise<T>;
  requireActive(found: Found, signer: Pick<Signer, 'key'>): Promise<void>;
  requireTurn(found: Found, signer: Signer): Promise<Turn>;
  onChange(sessionId: SessionId): void;
}

export async function takeCall<Kind extends SessionKind, Reserved, Reply>(
  options: TakeOptions,
  sessionId: SessionId,
  signer: Signer,
  { kind, reserve, work }: CallHandler<Kind, Reserved, Reply>,
): Promise<Reply> {
  const { database, store, decide } = options;
  const hold = { deviceKey: signer.key };
  const { call, reserved } = await decide(sessionId, async (found) => {
    const { session } = found;
    if (!isOfKind(session, kind)) throw noSuchSession();
    const turn = await options.requireTurn(found, signer);
    const taken = describeCall(session, turn);
    // Whatever it asks now, what was refused before is over.
    const useCounter = store.toUpdate(sessionId, turn.record, { ...turn.state, linkRefusal: null });
    return database.transact(async (trx) => {
      // The channel last, as at a session's end, so that no two of them wait for each other.
      const result = { call: taken, reserved: await reserve(trx, taken) };
      await useCounter(trx);
      return result;
    });
  });
  return work(call, reserved);

  function describeCall(session: Session<Kind>, { held, plan, state }: Turn): TakenCall<Kind> {
    const planText = held.text;
    const keys = { publicKey: plan.publicKey, privateKey: held.privateKey };
    const running = runningStep(plan, state.log);
    return {
      session,
      plan,
      planText,
      deviceKey: signer.key,
      isFirstDevice: firstDeviceOf(state) === signer.key,
      carried: carriedSteps(plan, state.log).flatMap((position) => plan.steps[position]?.step ?? []),
      running: running === undefined ? undefined : plan.steps[running],
      open: (envelope, label) => openSealed(label, { envelope, keys, sessionId, planText }),
      keep: (write) => keepHeld(options, sessionId, { ...hold, nonce: plan.nonce }, write),
      end: (finish) => endHeld(options, sessionId, { ...hold, nonce: plan.nonce }, finish),
    };
  }
}

/** Writes for a device that still holds the session as it did then: neither ended nor handed on since. */
export function keepHeld<T>(
  { database, store, decide, requireActive }: Pick<TakeOptions, 'database' | 'store' | 'decide' | 'requireActive'>,
  sessionId: SessionId,
  hold: DeviceHold,
  write: (trx: Transaction) => Promise<T>,
): Promise<T> {
  return decide(sessionId, async (found) => {
    const record = await requireHeld({ requireActive }, found, hold);
    const touch = store.toUpdate(sessionId, record, record.state);
    return database.transact(async (trx) => {
      const written = await write(trx);
      await touch(trx);
      return written;
    });
  });
}

/** Ends a session under the same conditions. */
export async function endHeld(
  options: Pick<TakeOptions, 'store' | 'decide' | 'requireActive' | 'onChange'>,
  sessionId: SessionId,
  hold: DeviceHold,
  finish: Parameters<TakenCall['end']>[0],
): Promise<void> {
  await options.decide(sessionId, async (found) => {
    const record = await requireHeld(options, found, hold);
    const close = options.store.toUpdate(sessionId, record, closeChannel(record.state, null));
    if (!(await finish(behaviorOfState(record.state), close))) throw new ConflictError();
  });
  options.onChange(sessionId);
}

/** Tells the device, under the same conditions, that what it asked of a wallet was refused, unless `forget` says that it asked anew. */
export async function refuseHeld(
  options: Pick<TakeOptions, 'database' | 'store' | 'decide' | 'requireActive' | 'onChange'>,
  sessionId: SessionId,
  hold: DeviceHold,
  linkRefusal: WalletRefusal,
  forget: (trx: Transaction) => Promise<boolean>,
): Promise<void> {
  await options.decide(sessionId, async (found) => {
    const record = await requireHeld(options, found, hold);
    const keep = options.store.toUpdate(sessionId, record, { ...record.state, linkRefusal });
    await options.database.transact(async (trx) => {
      if (await forget(trx)) await keep(trx);
    });
  });
  options.onChange(sessionId);
}

async function requireHeld(
  { requireActive }: Pick<TakeOptions, 'requireActive'>,
  found: Found,
  { deviceKey, nonce }: DeviceHold,
): Promise<ChannelRecord> {
  await requireActive(found, { key: deviceKey });
  requireOpen(found);
  const { record } = found;
  if (!record?.state.plan) throw new ConflictError(); // it ended between the two reads
  // Handed on and back again: it is another plan that this device follows now.
  if (readPlan(record.state.plan.text).nonce !== nonce) throw deviceMismatch('follower');
  return record;
}

interface OfferCallsOptions {
  database: Database;
  store: ChannelStore;
  clock: Clock;
  decide<T>(sessionId: SessionId, work: (found: Found) => Promise<T>): Promise<T>;
  requireActive(found: Found, signer: Signer): Promise<void>;
  requireAbove(state: ChannelState, signer: Signer): void;
  onChange(sessionId: SessionId): void;
}

export function createOfferCalls(options: OfferCallsOptions) {
  const { database, store, clock, decide, requireActive, requireAbove, onChange } = options;

  return {
    /** Another attempt, in place of one that was begun before. */
    begin: (sessionId: SessionId, signer: Signer, maxAttempts: number) =>
      change(sessionId, signer, ({ attempts }) => {
        if (attempts >= maxAttempts) throw noOffer();
        return { attempts: attempts + 1, open: attempts + 1, taken: false };
      }).then(({ session, after }) => ({ session, attempt: after.attempts })),

    /** The attempt that is answered: it is used up by that. Null when none is open. */
    answer: (sessionId: SessionId, signer: Signer) =>
      change(sessionId, signer, (offer) => ({ ...offer, open: null })).then(({ session, before }) => ({
        session,
        attempt: before.open,
      })),

    /** Writes what came of it, unless that was done already: then false, and nothing is written. */
    take: (sessionId: SessionId, signer: Signer, write: (trx: Transaction) => Promise<boolean>) =>
      decide(sessionId, async (found) => {
        const { record } = await requireOffered(found, signer);
        const taken = { ...record.state.offer, open: null, taken: true };
        const keep = store.toUpdate(sessionId, record, { ...record.state, offer: taken });
        const written = await database.transact(async (trx) => {
          if (!(await write(trx))) return false;
          await keep(trx);
          return true;
        });
        if (written) onChange(sessionId);
        return written;
      }),
  };

  /** With the call's counter used up. */
  function change(sessionId: SessionId, signer: Signer, next: (offer: OfferState) => OfferState) {
    return decide(sessionId, async (found) => {
      const { session, record } = await requireOffered(found, signer);
      requireAbove(record.state, signer);
      const before = record.state.offer;
      const after = next(before);
      const state = { ...advanceCounter(record.state, signer), offer: after };
      await database.transact(store.toUpdate(sessionId, record, state));
      return { session, before, after };
    });
  }

  async function requireOffered(found: Found, signer: Signer) {
    const { session, flow, record } = found;
    if (!isOfKind(session, 'age')) throw noSuchSession();
    await requireActive(found, signer);
    if (!record) throw new ConflictError(); // deleted between the two reads
    const offer = flow.endOf()?.ageKeyOffer;
    if (!offer || record.state.offer.taken || clock.now() >= offer.until) throw noOffer();
    return { session, record };
  }
}

function noOffer(): AppError {
  return new AppError('forbidden', 'This session offers nothing more; the view says what comes next.');
}
