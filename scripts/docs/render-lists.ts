// The lists that are known by name, for docs/lists.md.
import { addressesOf, KNOWN_LISTS, type KnownList } from '../../apps/server/src/screening/lists/sync/known-lists.ts';

export function renderLists(): string {
  return `<!-- Generated from the table of known lists by \`npm run docs\`; do not edit. -->

# Lists that are known by name

\`limen datasets add NAME\` loads any of these, and \`limen datasets sync\` keeps it fresh ([screening](screening.md#loading-real-lists)).
\`limen datasets known\` prints this table, with \`--json\` for programs. A list that is not here is added with its address or file.

## From their publishers

Free to use.

${renderTable('publisher')}

## From OpenSanctions

Official lists whose own files are spreadsheets, web pages or documents, in the form in which OpenSanctions publishes them, and
OpenSanctions' own collections. Refreshed by deltas. The data is free for non-commercial use only; a business needs
[their licence](https://www.opensanctions.org/licensing/).

${renderTable('opensanctions')}
`;
}

function renderTable(from: KnownList['from']): string {
  const rows = KNOWN_LISTS.filter((list) => list.from === from).map((list) => {
    const addresses = addressesOf(list).map((address) => `\`${address}\``);
    return `| \`${list.name}\` | ${list.title} | \`${list.format}\` | ${addresses.join('<br>')} |`;
  });
  return ['| name | list | format | address |', '|---|---|---|---|', ...rows].join('\n');
}
