// Draws the document in front of the test camera, and turns it over when the page asks for its
// other side.
import type { DocumentShots, Size } from './scenes.ts';
import { openPicture } from './sitter-on-page.ts';

export interface DocumentStage {
  /** Replaces the document once its pictures are decoded. */
  lay(document: DocumentShots): Promise<void>;
  /** `side`: the requested side; null for none. */
  draw(side: string | null, nowMs: number): void;
}

/** Time from the prompt until the other side is shown. */
const TURNING_MS = 1_000;

export function createDocumentStage(onto: CanvasRenderingContext2D): DocumentStage {
  let sides = new Map<string, HTMLCanvasElement[]>();
  let shown: string | null = null;
  let asked: string | null = null;
  let askedAt = 0;
  let frames = 0;
  return {
    async lay(document) {
      const opened = Object.entries(document.sides).map(async ([name, pictures]) => {
        const contexts = await Promise.all(pictures.map(openPicture));
        return [name, contexts.map(({ canvas }) => canvas)] as const;
      });
      sides = new Map(await Promise.all(opened));
      shown = null;
    },
    draw(side, nowMs) {
      if (side !== null && side !== asked) [asked, askedAt] = [side, nowMs];
      if (shown === null || nowMs - askedAt >= TURNING_MS) shown = asked;
      const [first] = sides.values();
      const shots = sides.get(shown ?? '') ?? first;
      if (!shots) return;
      frames += 1;
      const { width, height }: Size = onto.canvas;
      onto.drawImage(shots[backAndForth(frames, shots.length)]!, 0, 0, width, height);
    },
  };
}

/** Counts 0 1 2 1 0 1 …, because a hand does not jump. */
function backAndForth(number: number, length: number): number {
  const last = length - 1;
  return last - Math.abs((number % Math.max(last * 2, 1)) - last);
}
