// Puts a text onto the clipboard and says so.
import { useEffect, useState } from 'preact/hooks';

/** How long it says what it did. */
const SHOWN_MS = 2_000;

/** Browsers have a clipboard on https and loopback only; elsewhere the text can still be selected. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const [said, setSaid] = useState<string | null>(null);
  useEffect(() => {
    if (said === null) return;
    const timer = setTimeout(() => setSaid(null), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [said]);
  if (!navigator.clipboard) return null;

  const copy = () =>
    void navigator.clipboard.writeText(text).then(
      () => setSaid('Copied'),
      () => setSaid('Not allowed'),
    );
  return (
    <button type="button" class="quiet" onClick={copy}>
      <span aria-live="polite">{said ?? 'Copy'}</span>
      <span class="hidden"> {what}</span>
    </button>
  );
}
