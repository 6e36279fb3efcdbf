// Keeps what is seen of a document's light while colours are shown: numbers, of the one document that was read.
import type { Frame } from '@limen/face-geometry';
import type { ShownColour } from './colours.ts';
import { type DocumentLight, judgeDocument } from './judge-document.ts';
import { type DocumentSample, looksAlike, measureDocument, type Outlook, sketchDocument } from './measure-document.ts';

export type DocumentWitness = ReturnType<typeof createDocumentWitness>;

export function createDocumentWitness() {
  const samples: DocumentSample[] = [];
  let known: Outlook | null = null;
  return {
    /** What is measured from now on has to look like it. */
    know(frame: Frame): void {
      samples.length = 0;
      known = sketchDocument(frame);
    },
    /** False, and nothing is kept, where it does not. */
    measure(frame: Frame, at: number): boolean {
      if (!known || !looksAlike(known, sketchDocument(frame))) return false;
      samples.push(measureDocument(frame, at));
      return true;
    },
    /** Of all that was measured since the document is known. */
    judge(shown: readonly ShownColour[], faceResponse: number): DocumentLight {
      return judgeDocument(samples, shown, faceResponse).finding;
    },
    forget(): void {
      samples.length = 0;
      known?.fill(0);
      known = null;
    },
  };
}
