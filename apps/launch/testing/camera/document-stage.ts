// Draws the document before the test camera, and turns it over when the page asks for its other side.
import type { DocumentShots, Size } from './scenes.ts';
import { openPicture } from './sitter-on-page.ts';

export interface DocumentStage {
  /** In place of what was there, once its pictures are open. */
  lay(document: DocumentShots): Promise<void>;
  /** `side` is the one that is asked for, null while nobody asks. */
  draw(side: string | null, nowMs: number): void;
}

/** From the words on the screen until the other side is there. */
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

/** 0 1 2 1 0 1 …: a hand does not jump. */
function backAndForth(number: number, length: number): number {
  const last = length - 1;
  return last - Math.abs((number % Math.max(last * 2, 1)) - last);
}
