// A worker's document work: reads one document at a time and measures the light on it.
import type { DocumentLight, DocumentWitness, ShownColor } from '@limen/light';
import type { DocumentReader } from '../../document/index.ts';
import type { DocumentReport } from '../../document/kinds.ts';
import type { Frame } from '../../face/index.ts';
import { wipe } from '../wipe.ts';
import type { LightTools } from './face-work.ts';
import type { FrameStore } from './frame-store.ts';

const FORGOTTEN = 'The document was forgotten';

export class DocumentWork {
  readonly #store: FrameStore;
  #reader: DocumentReader | undefined;
  #light: DocumentWitness | undefined;
  /** Number of started and forgotten documents. Results of an earlier document are dropped. */
  #count = 0;

  constructor(store: FrameStore) {
    this.#store = store;
  }

  useLight({ createDocumentWitness }: LightTools): void {
    this.#light ??= createDocumentWitness();
  }

  async begin(open: () => Promise<DocumentReader>): Promise<null> {
    this.forget();
    const own = this.#count;
    const opened = await open();
    if (own !== this.#count) {
      opened.forget();
      throw new Error(FORGOTTEN);
    }
    this.#reader = opened;
    return null;
  }

  /** Returns only the report. All other data stays with the reader. */
  async read(
    frame: Frame,
    look: (reader: DocumentReader, frame: Frame) => Promise<DocumentReport>,
  ): Promise<DocumentReport> {
    const own = this.#count;
    this.#store.begin(frame);
    try {
      if (!this.#reader) throw new Error('No document was begun');
      const report = await look(this.#reader, frame);
      if (own === this.#count) {
        this.#light?.know(frame);
        return report;
      }
      wipe(report);
      throw new Error(FORGOTTEN);
    } finally {
      this.#store.wipe(frame);
    }
  }

  measureLight(frame: Frame, at: number): boolean {
    this.#store.begin(frame);
    try {
      return this.#light?.measure(frame, at) ?? false;
    } finally {
      this.#store.wipe(frame);
    }
  }

  judgeLight(shown: readonly ShownColor[], faceResponse: number): DocumentLight {
    return this.#light?.judge(shown, faceResponse) ?? 'unknown';
  }

  forget(): void {
    this.#count += 1;
    this.#reader?.forget();
    this.#reader = undefined;
    this.#light?.forget();
  }
}
