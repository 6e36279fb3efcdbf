// docs/reference/attacks.md from the attack book.
import { relative } from 'node:path/posix';
import { CHAPTERS } from '../../lab/attacks/book/all-classes.ts';
import { type AttackClass, PLAYED_WITH } from '../../lab/attacks/book/attack-class.ts';
import { KNOWN_TO_PASS } from '../../lab/attacks/book/known-to-pass.ts';

/** Start of a link from a page in docs/. */
const LINK = /\]\((?=[\w-]+\.md)/g;

export function renderAttacks(): string {
  const classes = CHAPTERS.flatMap((chapter) => chapter.classes);
  const attempts = classes.reduce((sum, attack) => sum + attack.attempts, 0);
  const chapters = CHAPTERS.map(
    ({ title, classes: listed }) => `## ${title}

| Class | What it prevents | Promised in | What counts as refused | Played with | Attempts |
|---|---|---|---|---|---|
${listed.map(row).join('\n')}
`,
  );
  const passing = KNOWN_TO_PASS.map(({ attack, why, against }) => `| ${attack} | ${why} | ${against} |`);
  return `# Attack book

<!-- Generated from lab/attacks/book by \`npm run docs\`; do not edit. -->

${classes.length} classes with ${attempts.toLocaleString('en-US')} attempts that \`npm run attacks\` plays against a running service ([how to run
it](../security.md#run-the-attacks)).

${chapters.join('\n')}
## Known to pass

| Attack | Why | What stands against it |
|---|---|---|
${passing.join('\n').replace(LINK, '](../')}
`;
}

function row({ name, prevents, promise, needs, refusals, attempts }: AttackClass): string {
  const link = `[${promise.replace(/^.*\//, '').replace(/\.md.*$/, '')}](${relative('docs/reference', promise)})`;
  const refused = refusals.map((label) => `\`${label}\``).join(', ');
  return `| \`${name}\` | ${prevents} | ${link} | ${refused} | ${PLAYED_WITH[needs]} | ${attempts} |`;
}
