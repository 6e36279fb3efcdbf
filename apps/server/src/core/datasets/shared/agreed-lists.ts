// What this machine and the database last agreed on, list by list, in a file beside the lists. By it a machine knows which of two
// versions is the news, without asking a clock, and that a database which was put back to an earlier moment has none.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing, replaceFile } from '../../../platform/durable-files.ts';
import { makeInnerFolder } from '../../../platform/make-folder.ts';

const FILE = 'agreed.json';
/** Of an earlier version of Limen, which knows no more than the names of lists; one that is started again reads it. */
const NAMES_FILE = 'shared.json';
/** Of a list that the others have, of which this machine has had none. */
export const SOME_VERSION = '';

export interface Agreed {
  /** The checksum of the index that both had, or null where both had removed it. */
  sum: string | null;
  /** Grows with every version and every removal. */
  revision: number;
}

export async function readAgreed(folder: string): Promise<Map<string, Agreed>> {
  const agreed = (await readJson(join(folder, FILE))) as Record<string, Agreed> | undefined;
  if (agreed) return new Map(Object.entries(agreed));
  const names = await readJson(join(folder, NAMES_FILE));
  if (!Array.isArray(names)) return new Map();
  return new Map(names.map((name) => [name, { sum: SOME_VERSION, revision: 0 }]));
}

export async function writeAgreed(folder: string, agreed: ReadonlyMap<string, Agreed>): Promise<void> {
  makeInnerFolder(folder); // where this machine has had no list yet
  const names = [...agreed].flatMap(([name, { sum }]) => (sum ? [name] : []));
  await replaceFile(join(folder, NAMES_FILE), JSON.stringify(names));
  await replaceFile(join(folder, FILE), JSON.stringify(Object.fromEntries(agreed)));
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    if (isMissing(error) || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
