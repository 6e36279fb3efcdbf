// Drawings of documents: small ones on a 64 × 64 grid, and large ones that show how to hold each
// side.
import type { DocumentKind, DocumentSide } from '../../document/kinds.ts';

export const DOCUMENTS = {
  passport: (
    <>
      <path d="M17 6h30a5 5 0 0 1 5 5v42a5 5 0 0 1-5 5H17a5 5 0 0 1-5-5V11a5 5 0 0 1 5-5zM24 50h16" />
      <circle cx="32" cy="28" r="11" />
      <path d="M21 28h22M32 17q-8 11 0 22q8-11 0-22" />
    </>
  ),
  card: (
    <>
      <rect x="6" y="13" width="52" height="38" rx="6" />
      <circle cx="19" cy="25" r="4" />
      <path d="M12.5 36a7 7 0 0 1 13 0M34 23h16M34 31h10M12 44h3M20 44h3M28 44h3M36 44h3M44 44h3M52 44h0" />
    </>
  ),
  licence: (
    <>
      <rect x="6" y="13" width="52" height="38" rx="6" />
      <path d="M14 23h22M14 34v9M20 34v9M25 34v9M32 34v9M37 34v9M44 34v9M50 34v9" />
    </>
  ),
  turnOver: (
    <>
      <path d="M12 27a21 21 0 0 1 38-7M52 37a21 21 0 0 1-38 7M51 8v13H38M13 56V43h13" />
    </>
  ),
};

/** Rows of characters, like a machine-readable zone from afar. */
const zone = (rows: readonly number[], x: number, width: number) =>
  rows.map((y) => <path key={y} class="fine" d={`M${x} ${y}h${width}`} stroke-dasharray="2.2 3.4" />);

const portrait = (x: number, y: number) => (
  <>
    <rect x={x} y={y} width="24" height="31" rx="2.5" />
    <circle cx={x + 12} cy={y + 11} r="5.5" />
    <path d={`M${x + 2.5} ${y + 30}a9.5 11 0 0 1 19 0`} />
  </>
);

/** Frame within which the document must be held. */
const corners = (
  <path
    class="corners"
    d="M6 20v-9a6 6 0 0 1 6-6h9M119 5h9a6 6 0 0 1 6 6v9M134 80v9a6 6 0 0 1-6 6h-9M21 95h-9a6 6 0 0 1-6-6v-9"
  />
);

const cardOutline = <rect x="18" y="18" width="104" height="64" rx="7" />;

const barcode = Array.from({ length: 3 }, (_, row) => (
  <path
    key={row}
    class="fine"
    d={`M27 ${59.5 + row * 5.5}h86`}
    stroke-dasharray={['1.5 2 3 1.5 1 2.5', '3 1.5 1 2 2 2', '1 2 1.5 1.5 3 2.5'][row]}
    stroke-width="5"
    stroke-linecap="butt"
  />
));

const SIDES: Readonly<Record<DocumentSide, preact.JSX.Element>> = {
  data: (
    <>
      {/* The opposite page, which need not be in view. */}
      <path class="faint" d="M24 22L27 2M116 22L113 2" />
      <path d="M24 22h92v59a6 6 0 0 1-6 6H30a6 6 0 0 1-6-6z" />
      {portrait(32, 29)}
      <path d="M66 33h36M66 42h24M66 51h30" />
      {zone([70, 78], 32, 76)}
    </>
  ),
  portrait: (
    <>
      {cardOutline}
      {portrait(27, 30)}
      <path d="M62 33h46M62 43h30M62 53h38M62 63h22" />
    </>
  ),
  zone: (
    <>
      {cardOutline}
      <rect x="27" y="26" width="15" height="12" rx="2" />
      <path d="M52 29h34M52 37h22" />
      {zone([52, 62, 72], 27, 86)}
    </>
  ),
  barcode: (
    <>
      {cardOutline}
      <path d="M18 29h104" stroke-width="6" stroke-linecap="butt" />
      <path d="M27 43h40M27 50h26" />
      {barcode}
    </>
  ),
};

/** On a 140 × 100 grid. Not mirrored in right-to-left languages. */
export function SideDrawing({ kind, side }: { kind: DocumentKind; side: DocumentSide }) {
  return (
    <svg class={`drawing side ${kind}`} viewBox="0 0 140 100" aria-hidden="true" focusable="false">
      {corners}
      {SIDES[side]}
    </svg>
  );
}
