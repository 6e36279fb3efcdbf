// What this machine and the database last agreed on, list by list, in a file beside the lists. By it a machine knows which of two
// versions is the news, without asking a clock.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing, replaceFile } from '../../../platform/durable-files.ts';

const FILE = 'shared.json';
/** Of a list of which an earlier version of Limen remembered no more than its name. */
const SOME_VERSION = '';

/** The checksum of the index that both had, or null where both had removed it. */
export type Agreed = string | null;

export async function readAgreed(folder: string): Promise<Map<string, Agreed>> {
  try {
    const read = JSON.parse(await readFile(join(folder, FILE), 'utf8')) as string[] | Record<string, Agreed>;
    return new Map(Array.isArray(read) ? read.map((name) => [name, SOME_VERSION]) : Object.entries(read));
  } catch (error) {
    if (isMissing(error) || error instanceof SyntaxError) return new Map();
    throw error;
  }
}

export async function writeAgreed(folder: string, agreed: ReadonlyMap<string, Agreed>): Promise<void> {
  await replaceFile(join(folder, FILE), JSON.stringify(Object.fromEntries(agreed)));
}
