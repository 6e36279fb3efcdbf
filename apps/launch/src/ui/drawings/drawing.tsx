// One of the page's line drawings. They are decoration: what they say is always there in words too.
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
