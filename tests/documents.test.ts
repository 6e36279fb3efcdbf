// Documents have valid links and source file names, and correctly numbered lists.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

const documents = globSync('{*.md,docs/**/*.md,packages/*/*.md,lab/results/*.md,{apps,examples}/**/README.md}', {
  exclude: (path) => path.includes('node_modules'),
});

it.each(documents)('has valid links in %s', (document) => {
  const links = [...readFileSync(document, 'utf8').matchAll(/\]\(([^)#\s]*)(?:#([^)\s]*))?\)/g)];
  const dead = links.filter(([, target = '', section]) => {
    if (/^[a-z]+:/.test(target)) return false;
    const path = target ? join(dirname(document), target) : document;
    return !existsSync(path) || (section && path.endsWith('.md') && !findAnchors(path).has(section));
  });
  expect(dead.map(([link]) => link)).toEqual([]);
});

it('names only existing source files', () => {
  const sources = globSync('{apps,packages,tools,lab,scripts,testing,tests}/**/*.{ts,tsx}', {
    exclude: (path) => path.includes('node_modules'),
  });
  const named = documents.flatMap((guide) =>
    [...readFileSync(guide, 'utf8').matchAll(/`([\w./-]+\/[\w.{,}-]+\.tsx?)`/g)].flatMap(([, path]) =>
      expandBraces(path!).map((expanded) => ({ guide, path: expanded })),
    ),
  );
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter(({ path }) => !sources.some((source) => `/${source}`.endsWith(`/${path}`)))).toEqual([]);
});

it.each(documents)('numbers the lists of %s correctly', (document) => {
  const blocks = readFileSync(document, 'utf8')
    .replaceAll(/^```.*?^```/gms, '')
    .split(/\n\s*\n/);
  const numbers = blocks.map((block) => [...block.matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number)));
  for (const list of numbers) expect(list).toEqual(list.map((_, position) => (list[0] ?? 0) + position));
});

it('has a symptom, a check and a remedy in each runbook', () => {
  const [, ...sections] = readFileSync('docs/runbooks.md', 'utf8').split(/^## /m);
  expect(sections.length).toBeGreaterThanOrEqual(8);
  for (const section of sections)
    for (const part of ['**Symptom.**', '**Check.**', '**Remedy.**']) expect(section).toContain(part);
});

it('has the sections that alert rules name', () => {
  const rules = globSync('deploy/monitoring/*alerts.yml').map((file) => readFileSync(file, 'utf8'));
  const named = rules.flatMap((text) => [...text.matchAll(/(docs\/\w+\.md), ([^.:,"]+)[.:,"]/g)]);
  expect(named.length).toBeGreaterThan(5);
  const missing = named.filter(([, document, section]) => {
    const heading = new RegExp(`^(#+ ${section}$|\\*\\*${section}\\*\\*)`, 'm');
    return !heading.test(readFileSync(document!, 'utf8'));
  });
  expect(missing.map(([whole]) => whole)).toEqual([]);
});

/** Returns the anchors that GitHub gives to the headings of a document. */
function findAnchors(document: string): Set<string> {
  const text = readFileSync(document, 'utf8').replaceAll(/^```.*?^```/gms, '');
  const named = [...text.matchAll(/<a id="([^"]+)"/g)].map(([, id = '']) => id);
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
      .replaceAll(' ', '-'),
  );
  return new Set([...named, ...headings]);
}

/** Expands `a/{b,c}.ts` to `a/b.ts` and `a/c.ts`. */
function expandBraces(path: string): string[] {
  const [, before, names, after] = /^(.*)\{(.*)\}(.*)$/.exec(path) ?? [];
  return names === undefined ? [path] : names.split(',').map((name) => `${before}${name}${after}`);
}
