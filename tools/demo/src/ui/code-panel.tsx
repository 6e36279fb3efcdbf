// Sample code for a back end.
import { CopyButton } from './copy-button.tsx';

export function CodePanel({ code }: { code: string }) {
  return (
    <section class="panel code" aria-labelledby="code-title">
      <header>
        <h2 id="code-title">The same in your back end</h2>
        <CopyButton text={code} what="the code" />
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section class="scroll" tabIndex={0} aria-label="Code for your back end">
        <pre>
          <code>{code}</code>
        </pre>
      </section>
    </section>
  );
}
