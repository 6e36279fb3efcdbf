// Lines of an earlier version, without what named a session to whoever knew its id and what a host wrote of a device: linked anew.
import { closeSync, existsSync, fsyncSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CHAIN_START, hashLine } from '../../platform/hash-chain.ts';
import { giveToOwnerOf } from '../../platform/same-owner.ts';
import type { Rows } from '../store/rows.ts';
import { auditFile, MAX_LINE_BYTES, segmentName } from './audit-chain.ts';
import type { AuditRecord } from './audit-record.ts';

/** A file that takes the place of the one that it is named after as soon as the database says so. */
export const ANEW = '.anew';

/** The first digits of the SHA-256 of an id, which everybody can make who has the id. */
const OLD_SESSION = /^[0-9a-f]{32}$/;
const BLOCK_BYTES = 65_536;
const LINE_END = 0x0a;
const OF_HOST = ['os', 'model', 'resolution'] as const;

interface Line {
  previous?: unknown;
  session?: unknown;
  facts?: Record<string, unknown>;
}

interface Rewritten {
  bytes: number;
  /** Of the last line; undefined where these are not the lines that were written. */
  hash: string | undefined;
}

/** Beside each file its next one. A file that is not there has nothing in it to be written anew. */
export async function writeAnew(folder: string, rows: Rows, record: AuditRecord): Promise<void> {
  const last = await record.head(rows);
  const moved = new Map<string, string>();
  const linkOf = (hash: string) => moved.get(hash) ?? hash;
  const rewrite = (path: string, written: { lines: number; start: string; hash: string }) => {
    if (!existsSync(path)) return { bytes: 0, hash: undefined };
    const made = rewriteLines(path, `${path}${ANEW}`, written, linkOf(written.start));
    if (made.hash !== undefined) moved.set(written.hash, made.hash);
    return made;
  };
  for (const segment of await record.listKept(rows)) {
    rewrite(join(folder, segmentName(segment)), segment);
    await record.changeSegment(rows, { ...segment, start: linkOf(segment.start), hash: linkOf(segment.hash) });
  }
  if (!last) return;
  const start = (await record.start(rows)) ?? { day: null, hash: CHAIN_START };
  const path = auditFile(folder);
  const present = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const { bytes } = last.lines === 0 ? { bytes: 0 } : rewrite(path, { ...last, start: start.hash });
  await record.putStart(rows, { day: start.day, hash: linkOf(start.hash) });
  // What was cut off is missing from the new one too.
  await record.putHead(rows, {
    lines: last.lines,
    bytes: bytes + Math.max(0, last.bytes - present),
    hash: linkOf(last.hash),
  });
}

/**
 * Writes `to`, a line at a time. What somebody has changed, cut or taken out loses the names as well, and must not look sound
 * afterwards: a line that did not follow from the one before it keeps what it held on to, and so does not follow in the new file.
 */
function rewriteLines(
  from: string,
  to: string,
  written: { lines: number; start: string; hash: string },
  start: string,
): Rewritten {
  const file = openSync(to, 'w', 0o600);
  try {
    giveToOwnerOf(dirname(to), file);
    let [before, previous, bytes, count] = [written.start, start, 0, 0];
    let isWhole = true;
    for (const piece of readLines(from)) {
      if (count === written.lines) break;
      const line = piece.isEnded ? parseLine(piece.text) : undefined;
      const follows = line?.previous === before;
      isWhole &&= follows;
      const text = line ? JSON.stringify({ ...withoutOldNames(line), ...(follows && { previous }) }) : piece.text;
      [before, previous] = [hashLine(piece.text), hashLine(text)];
      bytes += writeAll(file, Buffer.from(piece.isEnded ? `${text}\n` : text));
      if (piece.isEnded) count += 1;
    }
    fsyncSync(file);
    return { bytes, hash: isWhole && count === written.lines && before === written.hash ? previous : undefined };
  } finally {
    closeSync(file);
  }
}

function writeAll(file: number, bytes: Uint8Array): number {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
  return bytes.length;
}

/** A day's file may be larger than the memory; what has no end is no line of ours, and comes in pieces. */
function* readLines(path: string): Generator<{ text: string; isEnded: boolean }> {
  const file = openSync(path, 'r');
  try {
    const block = Buffer.alloc(BLOCK_BYTES);
    let rest = Buffer.alloc(0);
    for (let read = readSync(file, block); read > 0; read = readSync(file, block)) {
      let held = Buffer.concat([rest, block.subarray(0, read)]);
      for (let end = held.indexOf(LINE_END); end >= 0; end = held.indexOf(LINE_END)) {
        yield { text: held.toString('utf8', 0, end), isEnded: true };
        held = held.subarray(end + 1);
      }
      if (held.length > MAX_LINE_BYTES) yield { text: held.toString('utf8'), isEnded: false };
      rest = held.length > MAX_LINE_BYTES ? Buffer.alloc(0) : Buffer.from(held);
    }
    if (rest.length > 0) yield { text: rest.toString('utf8'), isEnded: false };
  } finally {
    closeSync(file);
  }
}

function parseLine(text: string): Line | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Line) : undefined;
  } catch {
    return undefined;
  }
}

function withoutOldNames({ session, facts, ...line }: Line): Line {
  const kept =
    facts && Object.fromEntries(Object.entries(facts).filter(([name]) => !OF_HOST.some((of) => of === name)));
  const isOld = typeof session === 'string' && OLD_SESSION.test(session);
  return { ...line, ...(session !== undefined && !isOld && { session }), ...(kept && { facts: kept }) };
}
