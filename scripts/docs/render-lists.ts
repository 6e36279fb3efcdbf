// Renders docs/reference/lists.md: the lists that have a name of their own.
import { KNOWN_LISTS, type KnownList, listAddresses } from '../../apps/server/src/screening/lists/sync/known-lists.ts';

export function renderLists(): string {
  return `<!-- Generated from the table of known lists by \`npm run docs\`; do not edit. -->

# Known lists

Each list that \`limen datasets add NAME\` loads by name; \`limen datasets known\` prints the same ([loading lists](../screening.md#loading-real-lists)).

## From their publishers, free to use

${renderTable('publisher')}

## From OpenSanctions, free for non-commercial use ([licenses](https://www.opensanctions.org/licensing/))

${renderTable('opensanctions')}
`;
}

function renderTable(from: KnownList['from']): string {
  const rows = KNOWN_LISTS.filter((list) => list.from === from).map((list) => {
    const addresses = listAddresses(list).map((address) => `\`${address}\``);
    return `| \`${list.name}\` | ${list.title} | \`${list.format}\` | ${addresses.join('<br>')} |`;
  });
  return ['| name | list | format | address |', '|---|---|---|---|', ...rows].join('\n');
}
