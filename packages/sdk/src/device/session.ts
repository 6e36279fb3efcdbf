// Shared state of a session's calls: their queue, the running capture, and the view subscribers.
import type { DeviceView } from '@limen/contract';
import type { DevicePlan, LogEntry } from '@limen/plan';
import { LimenError } from '../errors.ts';
import { isTransient } from '../http/retry.ts';
import type { DeviceCall, DeviceExchange } from './exchange.ts';
import type { CarriedSteps } from './handoff/handoff.ts';
import type { StepLog } from './log.ts';

export interface Capture {
  planText: string;
  plan: DevicePlan;
  log: StepLog;
  /** The only envelope of this capture. The service may have received it without a reply. */
  envelope?: Uint8Array<ArrayBuffer>;
  /** Set if another device holds the session. Unreported entries are then useless. */
  lost?: LimenError;
  carried?: CarriedSteps | undefined;
  /** Another device follows this one. */
  followed: boolean;
}

export class DeviceSession {
  capture: Capture | undefined;
  readonly #exchange: DeviceExchange;
  readonly #onViews = new Set<(view: DeviceView) => void>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(exchange: DeviceExchange) {
    this.#exchange = exchange;
  }

  /** Runs one task at a time in call order, whether or not earlier ones failed. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  readonly send = async <Result>(call: DeviceCall): Promise<Result> => {
    try {
      return await this.#exchange.send<Result>(call);
    } catch (error) {
      if (this.capture && error instanceof LimenError && error.code === 'device_mismatch') this.capture.lost = error;
      throw error;
    }
  };

  async sendForView(call: DeviceCall): Promise<DeviceView> {
    return this.tell(await this.send<DeviceView>(call));
  }

  readView(signal: AbortSignal | undefined, unsigned = false): Promise<DeviceView> {
    return this.sendForView({ operation: 'view', unsigned, signal });
  }

  tell(view: DeviceView): DeviceView {
    for (const callback of this.#onViews) callback(view);
    return view;
  }

  onView(callback: (view: DeviceView) => void): () => void {
    const own = (view: DeviceView) => callback(view);
    this.#onViews.add(own);
    return () => void this.#onViews.delete(own);
  }

  async report(call: Pick<DeviceCall, 'once' | 'signal'>): Promise<void> {
    if (!this.capture) return;
    const { log, lost } = this.capture;
    const json = log.unreported();
    if (!json) return;
    if (lost) throw lost;
    try {
      await this.sendForView({ ...call, operation: 'log', json });
    } catch (error) {
      if (error instanceof LimenError && error.status === 400) log.drop(json);
      throw error;
    }
    log.markReported(json);
  }

  /** For calls that are worth making even if the report fails. */
  async tryReport(signal: AbortSignal | undefined): Promise<void> {
    await this.report({ once: true, signal }).catch(() => undefined);
  }

  /** Reports all current entries. Throws if the service refused the report with this entry. */
  async reportWith(log: StepLog, entry: LogEntry, signal: AbortSignal | undefined): Promise<void> {
    try {
      await this.report({ once: true, signal });
    } catch (error) {
      if (!isTransient(error)) throw error;
    }
    // The entry was sent with another call's report.
    if (!log.entries().includes(entry)) throw new Error('The service refused the report that contained this entry.');
  }

  requireCapture(): Capture {
    if (this.capture) return this.capture;
    throw new Error('This client has not claimed the session. Call claim() first.');
  }
}
