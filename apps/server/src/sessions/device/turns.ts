// Finds a session with the state of its devices, ends it if it has expired, and decides which device may change it.
import { type DevicePlan, readPlan } from '@limen/plan';
import type { Clock } from '../../platform/base/clock.ts';
import { AppError, ConflictError } from '../../platform/base/errors.ts';
import type { SessionId } from '../../platform/base/ids.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { isKnownKind } from '../lifecycle/kinds.ts';
import { isOpen } from '../lifecycle/rules.ts';
import type { AnySession } from '../lifecycle/session.ts';
import type { Sessions } from '../lifecycle/sessions.ts';
import type { ChannelPlan, ChannelState } from './channel-state.ts';
import { type ChannelWrite, type DeviceFlows, type SessionFlow, selectFlow } from './flow.ts';
import { refusal, sessionEnded, staleCounter } from './refusals.ts';
import type { Signer } from './signature.ts';
import { advanceCounter, behaviorOfState, closeChannel, countRefusal, findDevice, findRole } from './state.ts';
import type { ChannelRecord, ChannelStore } from './store.ts';
import { presentView } from './view.ts';

export interface ChannelLookup {
  session: AnySession;
  flow: SessionFlow;
  record: ChannelRecord | undefined;
}

/** A session whose active device may change it. `state` already has the counter of the call. */
export interface DeviceTurn extends ChannelLookup {
  record: ChannelRecord;
  state: ChannelState;
  held: ChannelPlan;
  plan: DevicePlan;
}

export interface DeviceTurnsOptions {
  database: Database;
  store: ChannelStore;
  sessions: Pick<Sessions, 'find' | 'move'>;
  flows: DeviceFlows;
  clock: Clock;
  launchUrl: (sessionId: SessionId) => URL;
  /** Returns the SHA-256 of the model manifest as it is served, in hex, or null without models. */
  modelManifest: () => string | null;
  onChange(sessionId: SessionId): void;
}

type ChannelOwner = Pick<DeviceTurn, 'session' | 'record'>;

export class DeviceTurns {
  readonly parts: DeviceTurnsOptions;

  constructor(parts: DeviceTurnsOptions) {
    this.parts = parts;
  }

  now(): number {
    return this.parts.clock.now();
  }

  async find(sessionId: SessionId): Promise<ChannelLookup> {
    let { session, flow } = await this.#findSession(sessionId);
    if (isOpen(session.state) && session.expiresAt <= this.now()) {
      await flow.expire();
      ({ session, flow } = await this.#findSession(sessionId));
    }
    // Without a claim there is nothing to read. A write detects a concurrent claim.
    if (session.state === 'created') return { session, flow, record: undefined };
    // The session is read first: a record that is read after its end shows how it ended.
    const record = await this.parts.store.find(sessionId);
    // Claiming opens a session and writes its row at once: without one it was deleted between the two reads.
    if (!record && isOpen(session.state)) throw refusal('noSuchSession');
    return { session, flow, record };
  }

  async #findSession(sessionId: SessionId) {
    const session = await this.parts.sessions.find(sessionId);
    if (!session || !isKnownKind(session.kind)) throw refusal('noSuchSession');
    return { session, flow: selectFlow(this.parts.flows, session) };
  }

  async view(sessionId: SessionId, key: string | undefined) {
    return presentView(await this.find(sessionId), key, this.now());
  }

  /** Finds a session for a call that changes nothing and may use the device's last counter again. */
  async findToRead(sessionId: SessionId, signer: Signer | undefined): Promise<ChannelLookup> {
    const found = await this.find(sessionId);
    if (signer) requireCounter(found.record, signer);
    return found;
  }

  /** Reads, decides and writes. Starts again if the session changed before the write. */
  decide<T>(sessionId: SessionId, work: (found: ChannelLookup) => Promise<T>): Promise<T> {
    return retryOnConflict(this.parts.database, async () => work(await this.find(sessionId)));
  }

  save<T = void>({ session, record }: ChannelOwner, state: ChannelState, before?: (trx: Transaction) => Promise<T>) {
    return this.write(this.parts.store.toUpdate(session.id, record, state), before);
  }

  /** Writes the row of a channel. `before` writes first, in the same transaction, because an end locks the channel's row last too. */
  write<T = void>(keep: ChannelWrite, before?: (trx: Transaction) => Promise<T>): Promise<T> {
    return this.parts.database.transact(async (trx) => {
      const written = await before?.(trx);
      await keep(trx);
      return written as T;
    });
  }

  /** Writes the state of a channel only if `write`, in the same transaction, returns true. */
  saveIf({ session, record }: ChannelOwner, state: ChannelState, write: (trx: Transaction) => Promise<boolean>) {
    const keep = this.parts.store.toUpdate(session.id, record, state);
    return this.parts.database.transact(async (trx) => {
      const isWritten = await write(trx);
      if (isWritten) await keep(trx);
      return isWritten;
    });
  }

  async requireActive(found: ChannelLookup, key: string): Promise<ChannelRecord> {
    const { record } = found;
    if (!record) throw refusal('notClaimed');
    const role = findRole(record.state, key);
    if (role === 'none') await this.refuseStranger(found, refusal('stranger'));
    // Not counted, because its page may have sent reports before the session was handed on.
    if (role === 'follower') throw refusal('follower');
    return record;
  }

  async requireHolder(found: ChannelLookup, key: string) {
    const record = await this.requireActive(found, key);
    requireOpen(found);
    const { plan } = record.state;
    if (!plan) throw new ConflictError(); // it ended between the two reads
    return { record, held: plan, plan: readPlan(plan.text) };
  }

  async requireTurn(found: ChannelLookup, signer: Signer): Promise<DeviceTurn> {
    const { record, held, plan } = await this.requireHolder(found, signer.key);
    requireNewCounter(record, signer);
    return { ...found, record, held, plan, state: advanceCounter(record.state, signer) };
  }

  requireDevice(sessionId: SessionId, signer: Signer): Promise<void> {
    return this.decide(sessionId, async (found) => {
      const { record } = found;
      if (record && findDevice(record.state, signer.key)) requireCounter(record, signer);
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

/** Throws unless the counter is above the last one of this device, as each change needs. */
export function requireNewCounter(record: ChannelRecord | undefined, { key, counter }: Signer): void {
  const last = lastCounter(record, key);
  if (counter <= last) throw staleCounter(last);
}

function requireCounter(record: ChannelRecord | undefined, { key, counter }: Signer): void {
  const last = lastCounter(record, key);
  if (counter < last) throw staleCounter(last);
}

function lastCounter(record: ChannelRecord | undefined, key: string): number {
  return (record && findDevice(record.state, key)?.counter) ?? 0;
}

export function requireClaimed(found: ChannelLookup) {
  requireOpen(found);
  const { record } = found;
  if (!record) throw refusal('notClaimed');
  return { ...found, record };
}

export type ChannelClosing = NonNullable<Awaited<ReturnType<typeof prepareClosing>>>;

/**
 * Returns the behavior of a session's devices so far, and the write that drops plan and private key at its end. Returns null
 * if no device ever opened the session.
 */
export async function prepareClosing(store: ChannelStore, sessionId: SessionId) {
  const record = await store.find(sessionId);
  if (!record) return null;
  const keep = store.toUpdate(sessionId, record, closeChannel(record.state, null));
  return { behavior: behaviorOfState(record.state), keep };
}

const MAX_TRIES = 8;

/** Runs `work`, which reads, decides and writes. Runs it again if it throws `ConflictError`. */
export async function retryOnConflict<T>(database: Database, work: () => Promise<T>): Promise<T> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      // On SQLite writers share a commit, so the conflicting change may not be readable yet. An
      // empty transaction waits for that commit. On PostgreSQL it only costs a round trip.
      await database.transact(async () => {});
    }
  }
  const message = 'The session is being changed from several places at once; try again in a moment.';
  throw new AppError('unavailable', message, { headers: { 'retry-after': '1' } });
}
