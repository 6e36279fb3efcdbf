// Indented JSON with syntax highlighting.
import type { VNode } from 'preact';

/** A string followed by a colon is a field name. */
const PART = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

interface Shown {
  value: unknown;
  /** Original text of the value's member `metadata`, shown unchanged. */
  metadata?: string | null | undefined;
}

export function JsonView({ value, metadata, label }: Shown & { label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section class="scroll json" tabIndex={0} aria-label={label}>
      <pre>
        <code>{color(toText({ value, metadata }))}</code>
      </pre>
    </section>
  );
}

export function toText({ value, metadata = null }: Shown): string {
  if (typeof value === 'string') return value;
  if (metadata === null) return JSON.stringify(value, null, 2);
  const text = JSON.stringify({ ...(value as object), metadata: null }, null, 2);
  // A placeholder line at the outermost level, which no text within the value can equal.
  return text.replace(/^ {2}"metadata": null(?=,?$)/m, () => `  "metadata": ${metadata}`);
}

function color(text: string): (string | VNode)[] {
  const parts: (string | VNode)[] = [];
  let at = 0;
  for (const match of text.matchAll(PART)) {
    const [whole, string, colon] = match;
    parts.push(text.slice(at, match.index));
    if (string === undefined) parts.push(<span class="json-value">{whole}</span>);
    else parts.push(<span class={colon === undefined ? 'json-text' : 'json-name'}>{string}</span>, colon ?? '');
    at = match.index + whole.length;
  }
  return [...parts, text.slice(at)];
}
