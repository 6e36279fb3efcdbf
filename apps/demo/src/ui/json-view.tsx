// JSON, indented and with its parts told apart.
import type { VNode } from 'preact';

/** A string with the colon behind it is the name of a field. */
const PART = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

export function JsonView({ value, label }: { value: unknown; label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section class="scroll json" tabIndex={0} aria-label={label}>
      <pre>
        <code>{colour(toText(value))}</code>
      </pre>
    </section>
  );
}

export function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

function colour(text: string): (string | VNode)[] {
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
