// The chain of audit lines: how a line holds on to the one before it, and how a file of them is checked.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** More than any line of ours has: the facts in one are bounded. */
const MAX_LINE_BYTES = 65_536;

const AUDIT_NAME = 'audit.jsonl';

/** What the first line of all holds on to. */
export const CHAIN_START = '0'.repeat(64);

export interface ChainHead {
  /** Of the file as it is now, and the hash of its last line. */
  lines: number;
  bytes: number;
  hash: string;
}

export type ChainCheck =
  /** `isAfterMissing`: it goes on from a file that is not in the folder. */
  { state: 'whole'; lines: number; isAfterMissing: boolean } | { state: 'broken'; line: number; problem: string };

export function auditFile(folder: string): string {
  return join(folder, AUDIT_NAME);
}

export function hashLine(line: string): string {
  return createHash('sha256').update(line).digest('hex');
}

/**
 * Reads the whole file. Lines behind the head may be of a decision just being written and are not looked at. `start` is
 * what the first line was to hold on to when it was written.
 */
export async function checkAuditFile(
  folder: string,
  head: ChainHead | undefined,
  start: string = CHAIN_START,
): Promise<ChainCheck> {
  const expected = head?.lines ?? 0;
  let line = 0;
  let previous = start;
  try {
    for await (const text of createInterface({ input: createReadStream(auditFile(folder)) })) {
      if (line === expected) break;
      line += 1;
      const linked = linkOf(text);
      if (linked === undefined) return { state: 'broken', line, problem: 'is no audit line' };
      if (linked !== previous) {
        const problem = line === 1 ? 'is not the one the file began with' : 'does not follow from the line before it';
        return { state: 'broken', line, problem };
      }
      previous = hashLine(text);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  if (line < expected)
    return { state: 'broken', line: line + 1, problem: `is missing, and so is all up to ${expected}` };
  if (head && previous !== head.hash) {
    return { state: 'broken', line, problem: 'is not the last one that was written' };
  }
  const isAfterMissing = start !== CHAIN_START && !(await isPutAway(folder, start));
  return { state: 'whole', lines: line, isAfterMissing };
}

/** Whether a file in the folder ends with the line of this hash. */
async function isPutAway(folder: string, hash: string): Promise<boolean> {
  const names = (await readdir(folder)).filter((name) => name.startsWith('audit') && name !== AUDIT_NAME);
  for (const name of names) {
    if ((await hashOfLastLine(join(folder, name))) === hash) return true;
  }
  return false;
}

async function hashOfLastLine(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const from = Math.max(0, size - MAX_LINE_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from);
    return hashLine(buffer.toString('utf8', 0, bytesRead).trimEnd().split('\n').at(-1)!);
  } finally {
    await file.close();
  }
}

function linkOf(text: string): string | undefined {
  try {
    const { previous } = JSON.parse(text) as { previous?: unknown };
    return typeof previous === 'string' ? previous : undefined;
  } catch {
    return undefined;
  }
}
