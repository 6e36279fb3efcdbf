// The two workers of the face engine: one guides, the other compares and examines. A device with
// one core has one worker for both.
import type { ModelRole } from '../face/index.ts';
import { ModelLoadError } from '../loading/load-error.ts';
import type { After } from '../loading/start-timer.ts';
import { connectWorker, type WorkerConnection, type WorkerLike } from './call-worker.ts';
import { limitSilence } from './limit-silence.ts';
import { type CallName, type Calls, FETCHED_SHARE, type ModelThresholds } from './messages.ts';

export interface WorkerRoles {
  /** Finds and follows a face. */
  guide: WorkerConnection;
  /** Does the slower work: comparison, age, liveness and documents. */
  examiner: WorkerConnection;
}

export interface LoadRequest {
  roles: readonly ModelRole[];
  /** Null if the plan names none. */
  manifestHash: string | null;
  onProgress?(share: number): void;
}

/** Seconds without progress. */
const LOAD_SECONDS = 20;
export const NOT_LOADED = 'The face models are not loaded';
const GUIDANCE_ROLES: ReadonlySet<ModelRole> = new Set(['detect', 'landmarks', 'eye']);

export class WorkerPair {
  readonly #startWorker: () => WorkerLike;
  readonly #limit;
  readonly #proven = new WeakSet<WorkerConnection>();
  #lines: WorkerRoles | undefined;
  /** Becomes false if the second worker never started, perhaps for lack of memory. */
  #mayBeTwo: boolean;
  #epoch = 0;
  /** Settles when earlier loads have fetched the guidance models, or failed. */
  #guidanceFetched: Promise<void> = Promise.resolve();

  constructor(startWorker: () => WorkerLike, cores: number, after: After) {
    this.#startWorker = startWorker;
    this.#mayBeTwo = cores >= 2;
    this.#limit = limitSilence(after);
  }

  /** Changes when a worker is started. */
  get epoch(): number {
    return this.#epoch;
  }

  findOpen(): WorkerRoles | undefined {
    return this.#lines?.guide.isOpen() && this.#lines.examiner.isOpen() ? this.#lines : undefined;
  }

  requireOpen(): WorkerRoles {
    const open = this.findOpen();
    if (!open) throw new Error(NOT_LOADED);
    return open;
  }

  listWorkers(): WorkerConnection[] {
    return [...new Set(this.#lines && [this.#lines.guide, this.#lines.examiner])];
  }

  async call<Name extends CallName>(
    role: keyof WorkerRoles,
    seconds: number,
    name: Name,
    request: Calls[Name]['request'],
  ): Promise<Calls[Name]['reply']> {
    const line = this.requireOpen()[role];
    return this.within(line, seconds, line.call(name, request).reply);
  }

  within<Reply>(line: WorkerConnection, seconds: number, reply: Promise<Reply>): Promise<Reply> {
    return this.#limit.within(line, seconds, reply);
  }

  async load({ roles, manifestHash, onProgress }: LoadRequest, modelsUrl: string): Promise<ModelThresholds> {
    const to = this.#reach();
    const before = this.#guidanceFetched;
    const addPart = createJointProgress(onProgress);
    const workers = to.guide === to.examiner ? 1 : 2;
    const loadRoles = (line: WorkerConnection, some: readonly ModelRole[], onProgress: (share: number) => void) => {
      const wish = { roles: some, manifestHash, modelsUrl, workers };
      return this.#prove(line, line.call('load', wish, { onProgress }).reply);
    };
    const guiding = workers === 1 ? roles : roles.filter((role) => isGuidanceRole(role, roles));
    const remainingRoles = roles.filter((role) => !guiding.includes(role));
    const parts: Promise<ModelThresholds>[] = [];
    if (guiding.length > 0) {
      const tellShare = addPart();
      let endFetching = () => {};
      const fetching = new Promise<void>((resolve) => {
        endFetching = resolve;
      });
      const guided = loadRoles(to.guide, guiding, (share) => {
        if (share >= FETCHED_SHARE) endFetching();
        tellShare(share);
      });
      guided.then(endFetching, endFetching);
      this.#guidanceFetched = before.then(() => fetching);
      parts.push(guided);
    }
    if (remainingRoles.length > 0) {
      const tellShare = addPart();
      parts.push(before.then(() => loadRoles(to.examiner, remainingRoles, tellShare)));
    }
    const thresholds = await Promise.all(parts);
    return new Map(thresholds.flatMap((entries) => [...entries]));
  }

  close(): void {
    for (const line of this.listWorkers()) line.end(new Error('The face engine was closed'));
    this.#lines = undefined;
  }

  /** Replaces a dead worker and keeps the other one. */
  #reach(): WorkerRoles {
    const open = this.findOpen();
    if (open) return open;
    const before = this.#lines;
    if (before && isAlive(before.guide) && !isAlive(before.examiner)) this.#mayBeTwo = false;
    const start = () => connectWorker(this.#startWorker());
    const guide = before?.guide.isOpen() ? before.guide : start();
    const examiner = before?.examiner.isOpen() ? before.examiner : this.#mayBeTwo ? start() : guide;
    this.#lines = { guide, examiner };
    this.#epoch += 1;
    return this.#lines;
  }

  async #prove(line: WorkerConnection, reply: Promise<ModelThresholds>): Promise<ModelThresholds> {
    try {
      const thresholds = await this.#limit.withinLoad(line, LOAD_SECONDS, reply);
      this.#proven.add(line);
      return thresholds;
    } catch (error) {
      // The cause of a first failure may persist in the worker, such as a script that did not load,
      // so the next load gets a new worker. If the service has no models yet, the worker stays.
      const mayBeStuck = !(error instanceof ModelLoadError && error.code === 'unready');
      if (mayBeStuck && !this.#proven.has(line)) line.end(error instanceof Error ? error : new Error(NOT_LOADED));
      throw error;
    }
  }
}

/** A worker without any calls has sent nothing and counts as alive. */
function isAlive(line: WorkerConnection): boolean {
  return line.hasReported() || line.isOpen();
}

/** A document's portrait is found and measured in the worker that reads the document. */
function isGuidanceRole(role: ModelRole, together: readonly ModelRole[]): boolean {
  return GUIDANCE_ROLES.has(role) && !together.includes('document_text');
}

/** Reports the smaller share if both workers load something. */
function createJointProgress(onProgress: LoadRequest['onProgress']) {
  const shares: number[] = [];
  let reported = -1;
  return () => {
    const index = shares.push(0) - 1;
    return (share: number) => {
      shares[index] = share;
      const least = Math.min(...shares);
      if (least <= reported) return;
      reported = least;
      onProgress?.(least);
    };
  };
}
