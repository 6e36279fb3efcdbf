// docs/reference/stored-data.md from the declarations of tables, and from the list of files.
import type { Protection, Table } from '../../apps/server/src/platform/database/table.ts';
import { TABLES } from '../../apps/server/src/tables.ts';
import { FILES } from './personal-files.ts';

const MEANINGS: Record<Protection, string> = {
  sealed: 'Encrypted under a data key that the master key wraps, and bound to its row.',
  digest: 'An HMAC under such a key. Without the key, nothing can be looked up by it.',
  pseudonym: 'A random id, a state or a time that belongs to one person or session and says nothing by itself.',
  readable: 'May be personal, and anyone who reads the database can read it.',
  nothing: 'Says nothing about a person.',
};

export function renderStoredData(): string {
  return `# Stored data

<!-- Generated from the tables.ts of each folder in apps/server/src by \`npm run docs\`; do not edit. -->

Every column and file that Limen writes; [Privacy](../privacy.md) explains the promises.

## How a value is protected

| word | meaning |
|---|---|
${Object.entries(MEANINGS)
  .map(([word, meaning]) => `| ${word} | ${meaning} |`)
  .join('\n')}

## Tables

${Object.entries(TABLES)
  .map(([name, table]) => renderTable(name, table))
  .join('\n')}
## Files

In \`DATA_DIR\`, and in \`KEYHOLDER_DATA_DIR\` if the key-holder is a separate process.

| file | holds | protection | kept |
|---|---|---|---|
${FILES.map(({ path, holds, protection, stays }) => `| ${path} | ${holds} | ${protection} | ${stays} |`).join('\n')}
`;
}

function renderTable(name: string, { about, stays, deletedBy, columns }: Table): string {
  const entries = Object.entries(columns).map(([column, entry]) => ({ ...entry, column: `\`${column}\`` }));
  const lines = entries.flatMap(({ column, protection, holds }) =>
    holds ? [`| ${column} | ${protection} | ${holds} |`] : [],
  );
  for (const protection of Object.keys(MEANINGS)) {
    const alike = entries.filter((entry) => entry.protection === protection && !entry.holds);
    if (alike.length > 0) lines.push(`| ${alike.map(({ column }) => column).join(', ')} | ${protection} | |`);
  }
  return `### \`${name}\`

${about} Kept ${stays}.${deletedBy === 'nothing' ? '' : ` Deleted by: ${deletedBy}.`}

| column | protection | holds |
|---|---|---|
${lines.join('\n')}
`;
}
