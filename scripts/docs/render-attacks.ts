// docs/reference/attacks.md from the attack book.
import { relative } from 'node:path/posix';
import { CHAPTERS } from '../../lab/attacks/book/all-classes.ts';
import { type AttackClass, type Need, PLAYED_WITH } from '../../lab/attacks/book/attack-class.ts';
import { KNOWN_TO_PASS } from '../../lab/attacks/book/known-to-pass.ts';

/** Start of a link from a page in docs/. */
const LINK = /\]\((?=[\w-]+\.md)/g;

export function renderAttacks(): string {
  const classes = CHAPTERS.flatMap((chapter) => chapter.classes);
  const attempts = classes.reduce((sum, one) => sum + one.attempts, 0);
  const chapters = CHAPTERS.map(
    ({ title, classes: listed }) => `## ${title}

| Class | What it prevents | Promised in | What counts as refused | Played with | Attempts |
|---|---|---|---|---|---|
${listed.map(row).join('\n')}
`,
  );
  const countOf = (needs: Need) => classes.filter((one) => one.needs === needs).length;
  const passing = KNOWN_TO_PASS.map(({ attack, why, against }) => `| ${attack} | ${why} | ${against} |`);
  return `# The attack book

<!-- Generated from lab/attacks/book by \`npm run docs\`; do not edit. -->

One command plays every class of attack here against a running service: ${classes.length} classes with ${attempts.toLocaleString('en-US')} attempts, in about
ten minutes on a busy machine with two cores. The test suite plays the same list with a few attempts each.

\`\`\`sh
npm run attacks                                   # against a service of its own, on a free port with a temporary folder
npm run attacks -- --only ${classes[0]!.name}         # one class, or several separated by commas
npm run attacks -- --url http://localhost:8080 --key "$KEY"
npm run -s attacks -- --json > attacks.json       # with -s, so that npm adds no lines of its own
\`\`\`

It prints one table: class, attempts, accepted, and how the rest was refused. The exit code is 0 if everything was refused, and 1 if
something was accepted, could not be played, or was answered with 500, whatever was sent. \`--json\` prints the same as JSON. After
20 minutes (\`--minutes\`) it stops, names what it had no time for, and exits with 1. If nothing answers, it says so and exits with 2.

Against a service of yours it needs one of its **test keys** and refuses live ones; without a key it only talks to loopback. The column
"Played with" says how far that goes: ${countOf('nobody')} classes with no key, which anybody can try; ${countOf('a test key')} more with one key; the other ${countOf('many keys')} only against a
service of its own, because they involve two customers, or live and test, or lock what others use, or need their own settings. Classes
that were left out are named at the end. Instead of \`--key\` you can set \`LIMEN_API_KEY\`; if the key has client credentials, set
\`LIMEN_CLIENT_ID\` and \`LIMEN_CLIENT_SECRET\`. The run is bounded in number and time (\`--attempts\`, \`--minutes\`) and leaves sessions
behind in the test world, which end by themselves.

Each class first shows that the honest way works, if there is one: a refusal means nothing if everybody is refused. Anything that is not
in the column "What counts as refused" counts as accepted.

Attacks that need a copy of the database, or access to the machine, are not played here but in the tests: stolen tokens, copied and
edited rows, what is left after a deletion.

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
