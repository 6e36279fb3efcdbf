// The version of each list that this machine and the database last agreed on, in a file next to the lists.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing, replaceFile } from '../../../platform/files/durable.ts';
import { makeInnerFolder } from '../../../platform/files/folder.ts';

const FILE = 'agreed.json';

export interface Agreed {
  /** Checksum of the index that both have, or null if it is removed from both. */
  sum: string | null;
  /** Grows with every version and every removal. */
  revision: number;
}

export async function readAgreed(folder: string): Promise<Map<string, Agreed>> {
  try {
    return new Map(Object.entries(JSON.parse(await readFile(join(folder, FILE), 'utf8')) as Record<string, Agreed>));
  } catch (error) {
    if (isMissing(error) || error instanceof SyntaxError) return new Map();
    throw error;
  }
}

export async function writeAgreed(folder: string, agreed: ReadonlyMap<string, Agreed>): Promise<void> {
  makeInnerFolder(folder); // missing until this machine has its first list
  await replaceFile(join(folder, FILE), JSON.stringify(Object.fromEntries(agreed)));
}
