// A QR code: always dark on light with its quiet zone, also in the dark, because some cameras read it only so.
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { encode as Encode } from 'uqr';

/** Modules of empty space around it, as the standard asks. */
const QUIET_ZONE = 4;
/** From this length on, larger modules help a camera more than spare ones. */
const LONG_TEXT = 300;
const EMPTY = { size: 1, path: null };

/** Brought when a code is to be drawn: most people never see one. Without it there is still the link to copy. */
export function bringEncoder(): Promise<typeof Encode | null> {
  return import('uqr').then(
    ({ encode }) => encode,
    () => null,
  );
}

export function QrCode({ text, label }: { text: string; label: string }) {
  const [encode, setEncode] = useState<typeof Encode | null>(null);
  useEffect(() => void bringEncoder().then((found) => setEncode(() => found)), []);
  const { size, path } = useMemo(() => (encode ? drawCode(encode, text) : EMPTY), [encode, text]);
  return (
    <svg class="code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      {path && <path d={path} fill="#000" />}
    </svg>
  );
}

/** One rectangle per run of dark modules in a row. */
function drawCode(encode: typeof Encode, text: string): { size: number; path: string } {
  const { data, size } = encode(text, { ecc: text.length < LONG_TEXT ? 'M' : 'L', border: QUIET_ZONE });
  let path = '';
  data.forEach((row, y) => {
    for (let x = 0; x < size; x += 1) {
      const start = x;
      while (row[x]) x += 1;
      if (x > start) path += `M${start} ${y}h${x - start}v1H${start}z`;
    }
  });
  return { size, path };
}
