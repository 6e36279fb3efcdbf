// Reads word tables from adjacent text files: one entry per line, `#` starts a comment.
import { readFileSync } from 'node:fs';

export function readTable(file: URL): readonly string[] {
  const lines = readFileSync(file, 'utf8').split(/\r?\n/);
  return lines.filter((line) => line !== '' && !line.startsWith('#'));
}

/** Reads lines of the form `key: value`. */
export function readMap(file: URL): Readonly<Record<string, string>> {
  return Object.fromEntries(readTable(file).map((line) => line.split(': ') as [key: string, value: string]));
}
