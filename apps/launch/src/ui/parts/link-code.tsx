// A QR code, always dark on light with its quiet zone, because some cameras read no other.
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { encode as Encode } from 'uqr';
import type { Translator } from '../../i18n/index.ts';
import { Button } from './button.tsx';

/** Modules of empty space around the code, as the standard requires. */
const QUIET_ZONE = 4;
/** Above this length larger modules help a camera more than error correction. */
const LONG_TEXT = 300;
const EMPTY = { size: 1, path: null };

/** Loads the encoder on demand. Without it, the link can still be copied. */
export function loadEncoder(): Promise<typeof Encode | null> {
  return import('uqr').then(
    ({ encode }) => encode,
    () => null,
  );
}

export function QrCode({ text, label }: { text: string; label: string }) {
  const [encode, setEncode] = useState<typeof Encode | null>(null);
  useEffect(() => void loadEncoder().then((found) => setEncode(() => found)), []);
  const { size, path } = useMemo(() => (encode ? drawCode(encode, text) : EMPTY), [encode, text]);
  return (
    <svg class="code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      {path && <path d={path} fill="#000" />}
    </svg>
  );
}

/** Draws one rectangle per run of dark modules in a row. */
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

const SHOWN_MS = 4000;

interface CopyLinkProps {
  url: string;
  words: Translator;
  /** Announces a text; null when it is over. */
  onNotice(text: string | null): void;
}

export function CopyLink({ url, words, onNotice }: CopyLinkProps) {
  const [state, setState] = useState<'ready' | 'copied' | 'closed'>('ready');

  useEffect(() => {
    if (state !== 'copied') return;
    onNotice(words.text('handoff.copied'));
    const timer = setTimeout(() => setState('ready'), SHOWN_MS);
    return () => {
      clearTimeout(timer);
      onNotice(null);
    };
  }, [state]);

  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(url);
      setState('copied');
    } catch {
      setState('closed');
    }
  }

  return (
    <>
      {state === 'closed' && (
        <p class="link" dir="ltr">
          {url}
        </p>
      )}
      <Button kind="secondary" drawing={state === 'copied' ? 'check' : 'copy'} onPress={() => void copy()}>
        {words.text(state === 'copied' ? 'handoff.copied' : 'handoff.copy')}
      </Button>
    </>
  );
}
