// A worker's face work: watches frames, ties them to a person, and examines the kept ones.
import type { LightJudgment, LightSample } from '@limen/light';
import {
  combineExaminations,
  type Examination,
  embedFace,
  examineFrame,
  type Frame,
  watchFrame,
} from '../../face/index.ts';
import type { Call, Examined, Tie, WatchReport } from '../messages.ts';
import { wipe } from '../wipe.ts';
import type { FrameStore, KeptFrame } from './frame-store.ts';
import { createIdentity } from './identity.ts';
import type { ModelLoader } from './model-loader.ts';
import { createNoiseMemory } from './noise-memory.ts';

/** The light analysis, loaded on demand. */
export type LightTools = Pick<typeof import('@limen/light'), 'createDocumentWitness' | 'judgeLight' | 'measureLight'>;

/** Parameters of a call, without its frame. */
type CallWork<Name extends Call['name']> = Omit<Extract<Call, { name: Name }>, 'name' | 'frame'>;

export class FaceWork {
  readonly #store: FrameStore;
  readonly #loader: ModelLoader;
  readonly #identity;
  /** Survives `forget`, because a replayed clip continues in the next attempt. */
  readonly #noise = createNoiseMemory();
  readonly #lit: LightSample[] = [];

  constructor(store: FrameStore, loader: ModelLoader) {
    this.#store = store;
    this.#loader = loader;
    this.#identity = createIdentity(loader.models);
  }

  async watch(id: number, frame: Frame, time: number): Promise<WatchReport> {
    const store = this.#store;
    store.begin(frame);
    try {
      const report = await watchFrame(this.#loader.models, frame);
      // With two people, no one knows which of them it is.
      store.finish(id, frame, report.people === 1 ? report.face : null);
      const repeats = report.people > 0 && !store.isWiped(frame) && this.#noise.note(frame, time);
      return repeats ? { ...report, repeats } : report;
    } catch (error) {
      store.wipe(frame);
      throw error;
    }
  }

  /** Keeps a matching frame with its embedding, so that no face is measured twice. */
  async tie(frame: Frame, { reading, isAhead, isLit }: CallWork<'tie'>): Promise<Tie> {
    const store = this.#store;
    store.begin(frame);
    let isKept = false;
    try {
      const vector = await embedFace(this.#loader.models, frame, reading.landmarks);
      if (!vector) return 'unseen';
      // The reference face was forgotten in the meantime.
      const isGone = store.isWiped(frame);
      const isTied = !isGone && this.#identity.admit(vector, isAhead);
      isKept = isTied && isAhead && !isLit;
      if (isKept) store.keep({ frame, reading }, vector);
      else vector.fill(0);
      if (isGone) return 'unseen';
      return isTied ? 'tied' : 'unlike';
    } finally {
      if (!isKept) store.wipe(frame);
    }
  }

  /** Stores measurements only; the frame is overwritten like any other. */
  measureLight({ measureLight }: LightTools, { watched, at }: CallWork<'measureLight'>): null {
    const found = this.#store.find(watched);
    if (found) this.#lit.push(measureLight(found.frame, found.reading.landmarks, found.reading.box, at));
    return null;
  }

  judgeLight({ judgeLight }: LightTools, { shown }: CallWork<'judgeLight'>): LightJudgment {
    return judgeLight(this.#lit, shown);
  }

  async examine(
    { wanted }: CallWork<'examine'>,
    encodeJpeg: (frame: Frame) => Promise<Uint8Array>,
    onProgress: (share: number) => void,
  ): Promise<Examined | null> {
    const store = this.#store;
    const kept = store.take();
    // Later frames belong to another attempt.
    this.#identity.forget();
    const found: Examination[] = [];
    let selfie: Uint8Array | undefined;
    let examined: Examined | null = null;
    try {
      const best = wanted.selfie ? findSharpest(kept) : undefined;
      selfie = best && (await encodeJpeg(best.frame));
      for (const { frame, reading, vector } of kept) {
        const examination = await examineFrame(this.#loader.models, frame, reading, { ...wanted, embedding: false });
        found.push({ ...examination, embedding: wanted.embedding ? vector : null });
        // Shows that a slow device is not hanging.
        onProgress(found.length / kept.length);
        // The frame was forgotten in the meantime.
        if (store.isWiped(frame)) return null;
      }
      const combined = combineExaminations(found);
      examined = combined && { ...combined, ...(selfie && { selfie }) };
      return examined;
    } finally {
      if (!examined) wipe(selfie);
      for (const { frame, vector } of kept) {
        store.wipe(frame);
        vector.fill(0);
      }
      this.#loader.forget();
    }
  }

  forget(): void {
    this.#lit.length = 0;
    this.#identity.forget();
  }
}

function findSharpest(kept: readonly KeptFrame[]): KeptFrame | undefined {
  return kept.toSorted((a, b) => b.reading.sharpness - a.reading.sharpness)[0];
}
