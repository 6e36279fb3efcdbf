// Finds a session with the state of its devices, ends it if it has expired, and decides which device may change it.
import { type DevicePlan, readPlan } from '@limen/plan';
import type { Clock } from '../../platform/base/clock.ts';
import { type AppError, ConflictError } from '../../platform/base/errors.ts';
import type { SessionId } from '../../platform/base/ids.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { isKnownKind } from '../lifecycle/kinds.ts';
import { isOpen } from '../lifecycle/rules.ts';
import type { AnySession } from '../lifecycle/session.ts';
import type { Sessions } from '../lifecycle/sessions.ts';
import type { BehaviorFacts } from '../risk/measure-behavior.ts';
import type { ChannelState, HeldPlan } from './channel-state.ts';
import { type DeviceFlows, flowOf, type Keep, type SessionFlow } from './flow.ts';
import { overtakenTooOften, refusal, sessionEnded, staleCounter } from './refusals.ts';
import type { Signer } from './signature.ts';
import { advanceCounter, behaviorOfState, closeChannel, countRefusal, deviceOf, roleOf } from './state.ts';
import type { ChannelRecord, ChannelStore } from './store.ts';
import { viewOf } from './view.ts';

export interface ChannelLookup {
  session: AnySession;
  flow: SessionFlow;
  /** Undefined until a device has claimed the session. */
  record: ChannelRecord | undefined;
}

/** A session whose active device may change it, with the state as this call leaves it so far. */
export interface DeviceTurn extends ChannelLookup {
  record: ChannelRecord;
  state: ChannelState;
  held: HeldPlan;
  plan: DevicePlan;
}

export interface DeviceTurnsOptions {
  database: Database;
  store: ChannelStore;
  sessions: Pick<Sessions, 'find'>;
  flows: DeviceFlows;
  clock: Clock;
  /** Called after every change of a session by its devices. */
  onChange(sessionId: SessionId): void;
}

export class DeviceTurns {
  readonly store: ChannelStore;
  readonly clock: Clock;
  readonly onChange: (sessionId: SessionId) => void;
  readonly #database: Database;
  readonly #sessions: Pick<Sessions, 'find'>;
  readonly #flows: DeviceFlows;

  constructor({ database, store, sessions, flows, clock, onChange }: DeviceTurnsOptions) {
    this.#database = database;
    this.store = store;
    this.#sessions = sessions;
    this.#flows = flows;
    this.clock = clock;
    this.onChange = onChange;
  }

  async find(sessionId: SessionId): Promise<ChannelLookup> {
    let { session, flow } = await this.#findSession(sessionId);
    if (isOpen(session.state) && session.expiresAt <= this.clock.now()) {
      await flow.expire();
      ({ session, flow } = await this.#findSession(sessionId));
    }
    // No device has claimed the session, so there is nothing to read. A concurrent claim is
    // detected when something is written.
    if (session.state === 'created') return { session, flow, record: undefined };
    // The session first: what is read after its end shows how it ended.
    const record = await this.store.find(sessionId);
    // Claiming opens a session and writes its row at once: without one it was deleted between the two reads.
    if (!record && isOpen(session.state)) throw refusal('noSuchSession');
    return { session, flow, record };
  }

  async #findSession(sessionId: SessionId) {
    const session = await this.#sessions.find(sessionId);
    if (!session || !isKnownKind(session.kind)) throw refusal('noSuchSession');
    return { session, flow: this.flowOf(session) };
  }

  flowOf(session: AnySession): SessionFlow {
    return flowOf(this.#flows, session);
  }

  /** The session as the device with this key sees it now. */
  async view(sessionId: SessionId, key: string | undefined) {
    return viewOf(await this.find(sessionId), key, this.clock.now());
  }

  /** For a call that changes nothing, so that the device's last counter may be used again. */
  async findToRead(sessionId: SessionId, signer: Signer | undefined): Promise<ChannelLookup> {
    const found = await this.find(sessionId);
    if (signer) requireCounter(found.record, signer);
    return found;
  }

  /** Reads, decides and writes; starts again if what was read changed before it was written. */
  decide<T>(sessionId: SessionId, work: (found: ChannelLookup) => Promise<T>): Promise<T> {
    return untilNotOvertaken(this.#database, async () => work(await this.find(sessionId)));
  }

  /** Writes the state of a channel. `before` writes first, in the same transaction: the channel's row is locked last, as at an end. */
  save<T = void>(
    { session, record }: Pick<DeviceTurn, 'session' | 'record'>,
    state: ChannelState,
    before?: (trx: Transaction) => Promise<T>,
  ): Promise<T> {
    return this.keep(this.store.toUpdate(session.id, record, state), before);
  }

  keep<T = void>(keep: Keep, before?: (trx: Transaction) => Promise<T>): Promise<T> {
    return this.#database.transact(async (trx) => {
      const written = await before?.(trx);
      await keep(trx);
      return written as T;
    });
  }

  /** Writes the state only if `write`, in the same transaction, returns true. */
  saveIf(
    { session, record }: Pick<DeviceTurn, 'session' | 'record'>,
    state: ChannelState,
    write: (trx: Transaction) => Promise<boolean>,
  ): Promise<boolean> {
    const keep = this.store.toUpdate(session.id, record, state);
    return this.#database.transact(async (trx) => {
      const isWritten = await write(trx);
      if (isWritten) await keep(trx);
      return isWritten;
    });
  }

  /** Throws unless this device holds the session. */
  async requireActive(found: ChannelLookup, key: string): Promise<ChannelRecord> {
    const { record } = found;
    if (!record) throw refusal('notClaimed');
    const role = roleOf(record.state, key);
    if (role === 'none') await this.refuseStranger(found, refusal('stranger'));
    // Not counted: its page may still have had reports under way when the session was handed on.
    if (role === 'follower') throw refusal('follower');
    return record;
  }

  /** Throws unless the device holds the session, which is open. */
  async requireHolder(found: ChannelLookup, key: string) {
    const record = await this.requireActive(found, key);
    requireOpen(found);
    const { plan } = record.state;
    if (!plan) throw new ConflictError(); // it ended between the two reads
    return { record, held: plan, plan: readPlan(plan.text) };
  }

  /** Also throws if the counter was used; the state that it returns remembers it. */
  async requireTurn(found: ChannelLookup, signer: Signer): Promise<DeviceTurn> {
    const { record, held, plan } = await this.requireHolder(found, signer.key);
    requireNewCounter(record, signer);
    return { ...found, record, held, plan, state: advanceCounter(record.state, signer) };
  }

  /** Refuses a signer that is no device of the session. */
  requireDevice(sessionId: SessionId, signer: Signer): Promise<void> {
    return this.decide(sessionId, async (found) => {
      const { record } = found;
      if (record && deviceOf(record.state, signer.key)) requireCounter(record, signer);
      else await this.refuseStranger(found, refusal(record ? 'stranger' : 'notClaimed'));
    });
  }

  async refuseStranger({ session, record }: ChannelLookup, refusal: AppError): Promise<never> {
    const counted = record && session.outcome === undefined && countRefusal(record.state, 'otherDeviceAttempts');
    if (counted) await this.save({ session, record }, counted);
    throw refusal;
  }
}

export function requireOpen({ session }: ChannelLookup): void {
  if (!isOpen(session.state)) throw sessionEnded(session.state);
}

/** Each change by a device needs a counter above its last one. */
export function requireNewCounter(record: ChannelRecord | undefined, { key, counter }: Signer): void {
  const last = lastCounter(record, key);
  if (counter <= last) throw staleCounter(last);
}

function requireCounter(record: ChannelRecord | undefined, { key, counter }: Signer): void {
  const last = lastCounter(record, key);
  if (counter < last) throw staleCounter(last);
}

function lastCounter(record: ChannelRecord | undefined, key: string): number {
  return (record && deviceOf(record.state, key)?.counter) ?? 0;
}

/** Throws unless the session is open and a device has claimed it. */
export function requireClaimed(found: ChannelLookup) {
  requireOpen(found);
  const { record } = found;
  if (!record) throw refusal('notClaimed');
  return { ...found, record };
}

export interface ChannelClosing {
  /** Behavior of the session's devices so far. */
  behavior: BehaviorFacts;
  /** Drops plan and private key with the end; throws `ConflictError` when a device has changed something since. */
  keep: Keep;
}

/** Null when no device ever opened the session. */
export async function prepareClosing(store: ChannelStore, sessionId: SessionId): Promise<ChannelClosing | null> {
  const record = await store.find(sessionId);
  if (!record) return null;
  const keep = store.toUpdate(sessionId, record, closeChannel(record.state, null));
  return { behavior: behaviorOfState(record.state), keep };
}

/** Calls of one session that get in each other's way are few: a device sends one after the other. */
const MAX_TRIES = 8;

/** `work` reads, decides and writes; it throws `ConflictError` when what it read is no longer true. */
export async function untilNotOvertaken<T>(database: Database, work: () => Promise<T>): Promise<T> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      // On SQLite writers share a commit, so the change that was first may not be readable yet. An empty transaction ends no
      // sooner than it is. On PostgreSQL this only costs a round trip.
      await database.transact(async () => {});
    }
  }
  throw overtakenTooOften();
}
