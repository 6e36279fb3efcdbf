// Why a list was not recognised, for whoever has written one of their own.
import { LIST_FORMATS, TARGETS_SIMPLE_COLUMNS } from '@limen/screening';

const NEEDED = `A list of your own is a CSV file with the columns ${TARGETS_SIMPLE_COLUMNS.join(', ')}, separated by commas`;

export function explainUnknownFormat(head: Uint8Array): string {
  const [first = ''] = new TextDecoder()
    .decode(head)
    .replace(/^\ufeff/, '')
    .trimStart()
    .split(/\r?\n/, 1);
  for (const [delimiter, name] of [
    [',', 'commas'],
    [';', 'semicolons'],
    ['\t', 'tabs'],
  ] as const) {
    const headings = first.split(delimiter).map((cell) => cell.trim().replace(/^"|"$/g, '').toLowerCase());
    const missing = TARGETS_SIMPLE_COLUMNS.filter((column) => !headings.includes(column));
    if (headings.length < 2 || missing.length === TARGETS_SIMPLE_COLUMNS.length) continue;
    const lacks = missing.length > 0 ? `lacks the column${missing.length > 1 ? 's' : ''} ${missing.join(', ')}` : '';
    const separates = delimiter === ',' ? '' : `is separated by ${name}`;
    return `The header row ${[lacks, separates].filter(Boolean).join(' and ')}. ${NEEDED}.`;
  }
  return `The format of the list was not recognised; name it with --format (${LIST_FORMATS.join(', ')}). ${NEEDED}.`;
}
