// Collects light measurements of the document that was read, while colors are shown.
import type { Frame } from '@limen/face-geometry';
import type { ShownColor } from './colours.ts';
import { type DocumentLight, judgeDocument } from './judge-document.ts';
import { type DocumentSample, looksAlike, measureDocument, type Outlook, sketchDocument } from './measure-document.ts';

export type DocumentWitness = ReturnType<typeof createDocumentWitness>;

export function createDocumentWitness() {
  const samples: DocumentSample[] = [];
  let known: Outlook | null = null;
  return {
    /** Sets the document. Later frames must look like it. */
    know(frame: Frame): void {
      samples.length = 0;
      known = sketchDocument(frame);
    },
    /** Measures a frame. Returns false without measuring if it shows something else. */
    measure(frame: Frame, at: number): boolean {
      if (!known || !looksAlike(known, sketchDocument(frame))) return false;
      samples.push(measureDocument(frame, at));
      return true;
    },
    /** Judges all measurements since `know`. */
    judge(shown: readonly ShownColor[], faceResponse: number): DocumentLight {
      return judgeDocument(samples, shown, faceResponse).finding;
    },
    forget(): void {
      samples.length = 0;
      known?.fill(0);
      known = null;
    },
  };
}
