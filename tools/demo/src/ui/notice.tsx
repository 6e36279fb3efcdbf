// A highlighted sentence: an error or a hint.
import type { ComponentChildren } from 'preact';

const SIGNS = { bad: '!', warn: '!', good: '✓', info: 'i' };

export function Notice({ tone, children }: { tone: keyof typeof SIGNS; children: ComponentChildren }) {
  return (
    <div class={`notice notice-${tone}`} role={tone === 'bad' ? 'alert' : undefined}>
      <span class="notice-sign" aria-hidden="true">
        {SIGNS[tone]}
      </span>
      <div>{children}</div>
    </div>
  );
}
