// llms.txt of the repository: the guides by the doors of the README, then the rest, each with its first sentence.
import { globSync, readFileSync } from 'node:fs';

export function renderLlms(): string {
  const readme = readFileSync('README.md', 'utf8');
  const [, summary = ''] = /^\*\*(.+?)\*\*/m.exec(readme) ?? [];
  const doors = [...readme.matchAll(/^\| \*\*(.+?)\*\* \|(.*)$/gm)].map(([, title, cells]) => ({
    title: title!,
    paths: [...cells!.matchAll(/\]\((docs\/[\w/-]+\.md)/g)].map(([, path]) => path!),
  }));
  const listed = new Set(doors.flatMap(({ paths }) => paths));
  const listRest = (pattern: string) =>
    globSync(pattern)
      .filter((path) => !listed.has(path))
      .toSorted();
  const sections = [
    ...doors,
    { title: 'Integrate and develop', paths: [...listRest('docs/*.md'), 'examples/README.md'] },
    { title: 'Reference', paths: listRest('docs/reference/*.md') },
  ];
  const parts = sections.map(({ title, paths }) => `## ${title}\n\n${paths.map(describeDocument).join('\n')}\n`);
  return `# Limen\n\n> ${summary}\n\n${parts.join('\n')}`;
}

function describeDocument(path: string): string {
  const blocks = readFileSync(path, 'utf8').split(/\n\s*\n/);
  const title = blocks.find((block) => block.startsWith('# '))?.slice(2) ?? path;
  const paragraph = blocks.find((block) => /^[A-Z`]/.test(block)) ?? '';
  const text = paragraph.replaceAll(/\s+/g, ' ').replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1');
  const [sentence = text] = /^.*?[.:](?=\s|$)/.exec(text) ?? [];
  return `- [${title}](${path})${sentence === '' ? '' : `: ${sentence.replace(/:$/, '.')}`}`;
}
