// Renders docs/reference/course.md: the launch page as a table.

type Ways = readonly string[];

interface Transitions {
  COURSE: Record<string, { alone: Ways; actions: object }>;
  DIALOGS: Record<string, object>;
  GROUPS: Record<string, Ways>;
}

// Imported by URL, because its types need a browser's.
const transitions = new URL('../../apps/launch/src/course/transitions.ts', import.meta.url);
const { COURSE, DIALOGS, GROUPS } = (await import(transitions.href)) as Transitions;

export function renderCourse(): string {
  const rows = Object.entries(COURSE).map(
    ([name, { alone, actions }]) => `| \`${name}\` | ${renderActions(actions) || '–'} | ${renderWays(alone) || '–'} |`,
  );
  const dialogs = Object.entries(DIALOGS).map(([name, actions]) => `| \`${name}\` | ${renderActions(actions)} | – |`);
  const groups = Object.entries(GROUPS).map(([name, places]) => `- *${name}*: ${places.join(', ')}`);
  return `# Screens of the launch page

<!-- Generated from apps/launch/src/course/transitions.ts by \`npm run docs\`; do not edit. -->

Every screen, the actions on it and the screens that follow; screens that always appear together share a name:

${groups.join('\n')}

| Screen | Action → next screen | Next screen without an action |
|---|---|---|
${rows.join('\n')}

| Dialog | Action → next screen | |
|---|---|---|
${dialogs.join('\n')}
`;
}

function renderActions(actions: object): string {
  return Object.entries<Ways>({ ...actions })
    .map(([name, ways]) => (ways.length > 0 ? `**${name}** → ${renderWays(ways)}` : `**${name}**`))
    .join('<br>');
}

function renderWays(ways: Ways): string {
  let left = [...new Set(ways)];
  const named: string[] = [];
  const largestFirst = Object.entries(GROUPS).toSorted(([, one], [, other]) => other.length - one.length);
  for (const [name, group] of largestFirst) {
    const saysMore = group.some((place) => left.includes(place));
    if (!saysMore || !group.every((place) => ways.includes(place))) continue;
    named.push(`*${name}*`);
    left = left.filter((place) => !group.includes(place));
  }
  return [...named, ...left].join(', ');
}
