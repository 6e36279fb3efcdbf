// A decorative line drawing. Its meaning is always given in words too.
import { DOCUMENTS } from './documents.tsx';
import { FACES } from './faces.tsx';
import { SIGNS, THINGS } from './things.tsx';

const DRAWINGS = { ...DOCUMENTS, ...FACES, ...SIGNS, ...THINGS };
export type DrawingName = keyof typeof DRAWINGS;

export function Drawing({ name }: { name: DrawingName }) {
  return (
    <svg class="drawing" viewBox="0 0 64 64" aria-hidden="true" focusable="false">
      {DRAWINGS[name]}
    </svg>
  );
}
