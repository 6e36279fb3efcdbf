// The workers behind the face engine: one sees the frames and guides, another one knows whose face it is and how old. A device
// with one core has one worker for both.
import type { ModelRole } from '../face/index.ts';
import { ModelLoadError } from '../loading/load-error.ts';
import type { After } from '../loading/start-timer.ts';
import { connectWorker, type WorkerLike, type WorkerLine } from './call-worker.ts';
import { limitSilence } from './limit-silence.ts';
import { type CallName, type Calls, FETCHED_SHARE, type ModelThresholds } from './messages.ts';

export interface Lines {
  /** Finds a face and follows it. */
  guide: WorkerLine;
  /** Does what takes longer: whose face it is, how old, whether it is a live one, and documents. */
  examiner: WorkerLine;
}

export interface LoadRequest {
  roles: readonly ModelRole[];
  /** Null where the plan names none. */
  manifestHash: string | null;
  onProgress?(share: number): void;
}

/** Seconds without any progress; a loading worker has longer for everything. */
const LOAD_SECONDS = 20;
export const NOT_LOADED = 'The face models are not loaded';
const GUIDING: ReadonlySet<ModelRole> = new Set(['detect', 'landmarks', 'eye']);

export class WorkerPair {
  readonly #startWorker: () => WorkerLike;
  readonly #limit;
  /** Workers that have brought anything yet. */
  readonly #proven = new WeakSet<WorkerLine>();
  #lines: Lines | undefined;
  /** Becomes false if the second worker never came to life: a device may have no room for it. */
  #mayBeTwo: boolean;
  #epoch = 0;
  /** Settles once earlier loads have fetched what guidance needs, or failed. Over a slow link nothing holds that up. */
  #guidanceFetched: Promise<void> = Promise.resolve();

  constructor(startWorker: () => WorkerLike, cores: number, after: After) {
    this.#startWorker = startWorker;
    this.#mayBeTwo = cores >= 2;
    this.#limit = limitSilence(after);
  }

  /** Changes whenever a worker is started. */
  get epoch(): number {
    return this.#epoch;
  }

  findOpen(): Lines | undefined {
    return this.#lines?.guide.isOpen() && this.#lines.examiner.isOpen() ? this.#lines : undefined;
  }

  demand(): Lines {
    const open = this.findOpen();
    if (!open) throw new Error(NOT_LOADED);
    return open;
  }

  /** Returns each worker once. */
  all(): WorkerLine[] {
    return [...new Set(this.#lines && [this.#lines.guide, this.#lines.examiner])];
  }

  async ask<Name extends CallName>(
    whom: keyof Lines,
    seconds: number,
    name: Name,
    request: Calls[Name]['request'],
  ): Promise<Calls[Name]['reply']> {
    const line = this.demand()[whom];
    return this.within(line, seconds, line.call(name, request).reply);
  }

  within<Reply>(line: WorkerLine, seconds: number, reply: Promise<Reply>): Promise<Reply> {
    return this.#limit.within(line, seconds, reply);
  }

  async load({ roles, manifestHash, onProgress }: LoadRequest, modelsUrl: string): Promise<ModelThresholds> {
    const to = this.#reach();
    const before = this.#guidanceFetched;
    const addPart = createJointProgress(onProgress);
    const workers = to.guide === to.examiner ? 1 : 2;
    const bring = (line: WorkerLine, some: readonly ModelRole[], onProgress: (share: number) => void) => {
      const wish = { roles: some, manifestHash, modelsUrl, workers };
      return this.#prove(line, line.call('load', wish, { onProgress }).reply);
    };
    const guiding = workers === 1 ? roles : roles.filter((role) => isGuiding(role, roles));
    const others = roles.filter((role) => !guiding.includes(role));
    const parts: Promise<ModelThresholds>[] = [];
    if (guiding.length > 0) {
      const tellShare = addPart();
      let endFetching = () => {};
      const fetching = new Promise<void>((resolve) => {
        endFetching = resolve;
      });
      const guided = bring(to.guide, guiding, (share) => {
        if (share >= FETCHED_SHARE) endFetching();
        tellShare(share);
      });
      guided.then(endFetching, endFetching);
      this.#guidanceFetched = before.then(() => fetching);
      parts.push(guided);
    }
    if (others.length > 0) {
      const tellShare = addPart();
      parts.push(before.then(() => bring(to.examiner, others, tellShare)));
    }
    const thresholds = await Promise.all(parts);
    return new Map(thresholds.flatMap((some) => [...some]));
  }

  close(): void {
    for (const line of this.all()) line.end(new Error('The face engine was closed'));
    this.#lines = undefined;
  }

  /** Replaces a worker that is gone, and keeps the other one. */
  #reach(): Lines {
    const open = this.findOpen();
    if (open) return open;
    const before = this.#lines;
    if (before && hasComeToLife(before.guide) && !hasComeToLife(before.examiner)) this.#mayBeTwo = false;
    const start = () => connectWorker(this.#startWorker());
    const guide = before?.guide.isOpen() ? before.guide : start();
    const examiner = before?.examiner.isOpen() ? before.examiner : this.#mayBeTwo ? start() : guide;
    this.#lines = { guide, examiner };
    this.#epoch += 1;
    return this.#lines;
  }

  async #prove(line: WorkerLine, reply: Promise<ModelThresholds>): Promise<ModelThresholds> {
    try {
      const thresholds = await this.#limit.withinLoad(line, LOAD_SECONDS, reply);
      this.#proven.add(line);
      return thresholds;
    } catch (error) {
      // The cause of a first failure may be stuck in the worker, such as a script that did not arrive: the next load gets a
      // new worker. A service that has nothing to give yet is asked again, while the other worker guides on.
      const mayBeStuck = !(error instanceof ModelLoadError && error.code === 'unready');
      if (mayBeStuck && !this.#proven.has(line)) line.end(error instanceof Error ? error : new Error(NOT_LOADED));
      throw error;
    }
  }
}

/** A worker that was asked for nothing yet has nothing to say, and counts as alive. */
function hasComeToLife(line: WorkerLine): boolean {
  return line.hasSpoken() || line.isOpen();
}

/** A document is read in one place: its portrait is found and measured there. */
function isGuiding(role: ModelRole, together: readonly ModelRole[]): boolean {
  return GUIDING.has(role) && !together.includes('document_text');
}

/** Reports the smaller share of the two, where both workers bring something. */
function createJointProgress(onProgress: LoadRequest['onProgress']) {
  const shares: number[] = [];
  let told = -1;
  return () => {
    const index = shares.push(0) - 1;
    return (share: number) => {
      shares[index] = share;
      const least = Math.min(...shares);
      if (least <= told) return;
      told = least;
      onProgress?.(least);
    };
  };
}
