// The page as a table, for docs/launch-page.md.
import { COURSE, DIALOGS, GROUPS } from '../apps/launch/src/course/transitions.ts';

type Ways = readonly string[];

export function renderCourse(): string {
  const rows = Object.entries<{ alone: Ways; actions: object }>(COURSE).map(
    ([name, { alone, actions }]) => `| \`${name}\` | ${renderActions(actions) || '–'} | ${renderWays(alone) || '–'} |`,
  );
  const dialogs = Object.entries(DIALOGS).map(([name, actions]) => `| \`${name}\` | ${renderActions(actions)} | – |`);
  const groups = Object.entries<Ways>(GROUPS).map(([name, places]) => `- *${name}*: ${places.join(', ')}`);
  return `Places that always come together have a name:

${groups.join('\n')}

| screen | what the person can do → where it leads | where it leads by itself |
|---|---|---|
${rows.join('\n')}

| dialog | what the person can do → where it leads | |
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
  const largestFirst = Object.entries<Ways>(GROUPS).toSorted(([, one], [, other]) => other.length - one.length);
  for (const [name, group] of largestFirst) {
    const saysMore = group.some((place) => left.includes(place));
    if (!saysMore || !group.every((place) => ways.includes(place))) continue;
    named.push(`*${name}*`);
    left = left.filter((place) => !group.includes(place));
  }
  return [...named, ...left].join(', ');
}
