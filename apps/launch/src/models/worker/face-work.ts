// A worker's work on faces: watches frames, knows whose face they show, and examines those that were kept.
import type { LightJudgement, LightSample } from '@limen/light';
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

/** The analysis of light, which a worker loads on demand. */
export type LightTools = Pick<typeof import('@limen/light'), 'createDocumentWitness' | 'judgeLight' | 'measureLight'>;

/** The work of one call, with the frame that came with it. */
type CallWork<Name extends Call['name']> = Omit<Extract<Call, { name: Name }>, 'name' | 'frame'>;

export class FaceWork {
  readonly #store: FrameStore;
  readonly #loader: ModelLoader;
  readonly #identity;
  /** Survives `forget`: a clip that is played again comes with the next attempt. */
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
      // No one knows which of two people it is.
      store.finish(id, frame, report.people === 1 ? report.face : null);
      const repeats = report.people > 0 && !store.isWiped(frame) && this.#noise.note(frame, time);
      return repeats ? { ...report, repeats } : report;
    } catch (error) {
      store.wipe(frame);
      throw error;
    }
  }

  /** Keeps a tied frame for the examination, with the vector that tied it: no face is measured twice. */
  async tie(frame: Frame, { reading, isAhead, isLit }: CallWork<'tie'>): Promise<Tie> {
    const store = this.#store;
    store.begin(frame);
    let isKept = false;
    try {
      const vector = await embedFace(this.#loader.models, frame, reading.landmarks);
      if (!vector) return 'unseen';
      // The face it would be compared with was forgotten in between.
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

  /** Keeps numbers only: the frame is overwritten like any other. */
  measureLight({ measureLight }: LightTools, { watched, at }: CallWork<'measureLight'>): null {
    const found = this.#store.find(watched);
    if (found) this.#lit.push(measureLight(found.frame, found.reading.landmarks, found.reading.box, at));
    return null;
  }

  judgeLight({ judgeLight }: LightTools, { shown }: CallWork<'judgeLight'>): LightJudgement {
    return judgeLight(this.#lit, shown);
  }

  async examine(
    { wanted }: CallWork<'examine'>,
    encodeJpeg: (frame: Frame) => Promise<Uint8Array>,
    onProgress: (share: number) => void,
  ): Promise<Examined | null> {
    const store = this.#store;
    const kept = store.take();
    // The next frames belong to another attempt.
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
        // A slow device takes long for all frames without hanging.
        onProgress(found.length / kept.length);
        // The result of a frame that was forgotten in between is no longer about a picture.
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
  return kept.toSorted((one, other) => other.reading.sharpness - one.reading.sharpness)[0];
}
