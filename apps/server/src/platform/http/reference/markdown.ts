// Renders the Markdown that the guides and the descriptions of the API use.
import { type Html, html } from '../pages/html.ts';

export function readSections(markdown: string): { id: string; title: string; body: Html[] }[] {
  return markdown
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [title = '', ...lines] = section.split('\n');
      return { id: title.toLowerCase().replaceAll(' ', '-'), title, body: renderBlocks(lines.join('\n')) };
    });
}

function renderBlocks(markdown: string): Html[] {
  const blocks = markdown.match(/^```\n[\s\S]*?^```$|(?:^(?!```).+\n?)+/gm) ?? [];
  return blocks.map((block) => {
    if (block.startsWith('```')) return html`<pre tabindex="0">${block.slice(4, -4)}</pre>`;
    if (!block.startsWith('- ')) return html`<p>${renderInline(block.trim())}</p>`;
    const items = block.trim().split(/^- /m).slice(1);
    return html`<ul>${items.map((item) => html`<li>${renderInline(item.trim())}</li>`)}</ul>`;
  });
}

/** Renders code in backticks, and links. */
export function renderInline(text: string): Html[] {
  return text.split(/(`[^`]+`|\[[^\]]+\]\([^)]+\))/).map((part) => {
    if (part.startsWith('`')) return html`<code>${part.slice(1, -1)}</code>`;
    const [, label, address] = /^\[(.+)\]\((.+)\)$/.exec(part) ?? [];
    return label && address ? html`<a href="${address}">${label}</a>` : html`${part}`;
  });
}
