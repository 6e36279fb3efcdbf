// The chain of audit lines: each has the hash of the previous one. Checks files of them.
import { createReadStream } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { CHAIN_START, hashLine } from '../../../platform/sealing/hash-chain.ts';

const MAX_LINE_BYTES = 65_536;

const AUDIT_NAME = 'audit.jsonl';

export interface ChainHead {
  lines: number;
  bytes: number;
  hash: string;
}

/** Checkpoint of a past day, which stays after its lines are deleted. */
export interface Segment {
  number: number;
  day: string;
  lines: number;
  /** Link of its first line, and hash of its last line. */
  start: string;
  hash: string;
  pruned: 0 | 1;
}

export type ChainCheck =
  /** `isAfterMissing`: the chain continues from a file that is not in the folder. `pruned`: files that were deleted in time. */
  | { state: 'whole'; lines: number; pruned: number; isAfterMissing: boolean }
  | { state: 'broken'; file?: string; line: number; problem: string };

export interface ChainState {
  head: ChainHead | undefined;
  start?: string | undefined;
  segments?: readonly Segment[];
}

export function auditFile(folder: string): string {
  return join(folder, AUDIT_NAME);
}

export function isAuditFile(name: string): boolean {
  return name === AUDIT_NAME || /^audit-\d{4}-\d\d-\d\d\.\d+\.jsonl$/.test(name);
}

export function segmentName({ day, number }: Pick<Segment, 'day' | 'number'>): string {
  return `audit-${day}.${number}.jsonl`;
}

/** Reads all kept lines. Ignores lines after the head, which may be of a decision in progress. */
export async function checkAudit(folder: string, { head, start, segments = [] }: ChainState): Promise<ChainCheck> {
  let lines = 0;
  let before: string | undefined;
  for (const segment of segments) {
    const file = segmentName(segment);
    if (before !== undefined && segment.start !== before && !(await isPutAway(folder, segment.start))) {
      return { state: 'broken', file, line: 1, problem: 'does not follow from the file before it' };
    }
    before = segment.hash;
    if (segment.pruned) continue;
    const broken = await checkFile(join(folder, file), segment, segment.start);
    if (broken) return { ...broken, file };
    lines += segment.lines;
  }
  const began = start ?? before ?? CHAIN_START;
  const broken = await checkFile(auditFile(folder), head ?? { lines: 0, hash: began }, began);
  if (broken) return broken;
  const isKnown = began === CHAIN_START || began === before || (head?.lines === 0 && head.hash === before);
  return {
    state: 'whole',
    lines: lines + (head?.lines ?? 0),
    pruned: segments.filter(({ pruned }) => pruned).length,
    isAfterMissing: !isKnown && !(await isPutAway(folder, began)),
  };
}

async function checkFile(
  path: string,
  end: { lines: number; hash: string },
  start: string,
): Promise<{ state: 'broken'; line: number; problem: string } | undefined> {
  if (end.lines === 0) return undefined;
  let line = 0;
  let previous = start;
  try {
    for await (const text of createInterface({ input: createReadStream(path) })) {
      if (line === end.lines) break;
      line += 1;
      const linked = readLink(text);
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
  if (line < end.lines) {
    return { state: 'broken', line: line + 1, problem: `is missing, and so is all up to ${end.lines}` };
  }
  if (previous !== end.hash) return { state: 'broken', line, problem: 'is not the last one that was written' };
  return undefined;
}

/** Returns whether a file in the folder ends with the line of this hash. */
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

function readLink(text: string): string | undefined {
  try {
    const { previous } = JSON.parse(text) as { previous?: unknown };
    return typeof previous === 'string' ? previous : undefined;
  } catch {
    return undefined;
  }
}
