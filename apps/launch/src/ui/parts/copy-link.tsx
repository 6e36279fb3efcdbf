// Copies a link and says that it did. Where the clipboard is closed to the page, the link itself is shown.
import { useEffect, useState } from 'preact/hooks';
import type { Translator } from '../../i18n/index.ts';
import { Button } from './button.tsx';

const SHOWN_MS = 4000;

interface CopyLinkProps {
  url: string;
  words: Translator;
  /** Something to announce; null when it is over. */
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
