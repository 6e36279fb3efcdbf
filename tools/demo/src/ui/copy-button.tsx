// Copies a text to the clipboard and confirms it.
import { useEffect, useState } from 'preact/hooks';

/** Duration of the confirmation. */
const SHOWN_MS = 2_000;

/** Browsers have a clipboard only on https and loopback. Elsewhere the text can be selected. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const [message, setSaid] = useState<string | null>(null);
  useEffect(() => {
    if (message === null) return;
    const timer = setTimeout(() => setSaid(null), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [message]);
  if (!navigator.clipboard) return null;

  const copy = () =>
    void navigator.clipboard.writeText(text).then(
      () => setSaid('Copied'),
      () => setSaid('Not allowed'),
    );
  return (
    <button type="button" class="quiet" onClick={copy}>
      <span aria-live="polite">{message ?? 'Copy'}</span>
      <span class="hidden"> {what}</span>
    </button>
  );
}
