// What the calls of one session share: their turns, the capture that runs, and who is notified of each view.
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
  /** Once there is one, no other is made: the service may have taken it although no reply came. */
  envelope?: Uint8Array<ArrayBuffer>;
  /** The service said that another device holds the session: what is not reported yet is of no use to it. */
  lost?: LimenError;
  carried?: CarriedSteps | undefined;
  /** Another device shows what happens here. */
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

  /** Runs one piece of work at a time, in the order of the calls, whether those before failed or not. */
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

  /** For a call that is worth making whatever becomes of the report. */
  async tryReport(signal: AbortSignal | undefined): Promise<void> {
    await this.report({ once: true, signal }).catch(() => undefined);
  }

  /** Reports what is there now. Throws if the service refused the report that the entry was in. */
  async reportWith(log: StepLog, entry: LogEntry, signal: AbortSignal | undefined): Promise<void> {
    try {
      await this.report({ once: true, signal });
    } catch (error) {
      if (!isTransient(error)) throw error;
    }
    // It went with another's report.
    if (!log.entries().includes(entry)) throw new Error('the service refused the report that this entry was in');
  }

  requireCapture(): Capture {
    if (this.capture) return this.capture;
    throw new Error('the session is not claimed by this client: call claim() first');
  }
}
