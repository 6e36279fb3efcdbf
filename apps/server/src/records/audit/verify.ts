// Verifies and exports the whole audit log.
import { CHAIN_START, hashLine } from '../../platform/sealing/hash-chain.ts';
import type { Sealer } from '../../platform/sealing/sealer.ts';
import { type Checkpoints, findProblem, readDays, type SegmentRow } from './checkpoints.ts';
import { openLine } from './log.ts';
import type { AuditStore, LineRow } from './store.ts';

const BATCH = 1_000;

export type AuditCheck =
  /** `pruned`: number of days whose lines were deleted after their retention. */
  | { state: 'whole'; days: number; lines: number; pruned: number; hash: string }
  | { state: 'broken'; day: string | undefined; line: number | undefined; problem: string };

export interface AuditReading {
  store: Pick<AuditStore, 'listSegments' | 'listFrom' | 'findOutside'>;
  checkpoints: Pick<Checkpoints, 'holds'>;
  sealer: Pick<Sealer, 'open'>;
}

/** Reads all lines and days in their order, and awaits the callbacks. */
export async function verifyAudit(
  { store, checkpoints, sealer }: AuditReading,
  callbacks: {
    onLine?(text: string): void | Promise<void>;
    onDay?(segment: SegmentRow): void | Promise<void>;
  } = {},
): Promise<AuditCheck> {
  const segments = await store.listSegments();
  let [hash, next, lines] = [CHAIN_START, 1, 0];
  let firstKept: number | undefined;
  for (const [nth, segment] of segments.entries()) {
    const { day } = segment;
    const broken = (problem: string, line?: number): AuditCheck => ({ state: 'broken', day, line, problem });
    const problem = findProblem(checkpoints, segment, segments[nth - 1]);
    if (problem !== undefined) return broken(problem);
    const end = segment.first_seq + segment.lines;
    if (!segment.pruned) {
      firstKept ??= next;
      while (next < end) {
        const rows = await store.listFrom(next, Math.min(BATCH, end - next));
        if (rows.length === 0) return broken('it is missing', next);
        for (const row of rows) {
          if (row.seq !== next) return broken('it is missing', next);
          const text = textOf(row);
          if (text === undefined) return broken('it was edited', next);
          if (readLink(text) !== hash) return broken('it does not follow from the line before', next);
          hash = hashLine(text);
          next += 1;
          lines += 1;
          await callbacks.onLine?.(text);
        }
      }
      if (hash !== segment.hash) return broken('it is not the last line that was written', end - 1);
    }
    await callbacks.onDay?.(segment);
    [hash, next] = [segment.hash, end];
  }
  const added = await findAdded(firstKept ?? next, next);
  if (added) return { state: 'broken', day: undefined, line: added.seq, problem: 'no checkpoint covers it' };
  const pruned = segments.filter((segment) => segment.pruned).length;
  return { state: 'whole', days: segments.length, lines, pruned, hash };

  /** Finds a line that no checkpoint covers. Lines that are written during the search are correct if a checkpoint covers them by now. */
  async function findAdded(from: number, end: number): Promise<LineRow | undefined> {
    const row = await store.findOutside(from, end);
    if (!row || row.seq < end) return row;
    const newest = readDays(checkpoints, await store.listSegments()).sound.at(-1);
    const endByNow = newest ? newest.first_seq + newest.lines : end;
    return row.seq < endByNow ? findAdded(from, endByNow) : row;
  }

  function textOf(row: LineRow): string | undefined {
    try {
      return openLine(sealer, row);
    } catch {
      return undefined;
    }
  }
}

function readLink(text: string): unknown {
  return (JSON.parse(text) as { previous?: unknown }).previous;
}

/** Writes the log as JSON lines that others can check: the public key, the lines, and after each day its signed checkpoint. */
export async function exportAudit(
  { store, checkpoints, sealer }: AuditReading & { checkpoints: Checkpoints },
  write: (line: string) => void | Promise<void>,
): Promise<AuditCheck> {
  await write(JSON.stringify({ publicKey: checkpoints.publicKey }));
  return verifyAudit(
    { store, checkpoints, sealer },
    {
      onLine: write,
      onDay: ({ signature, ...checkpoint }) =>
        write(JSON.stringify({ checkpoint, signature: Buffer.from(signature).toString('base64') })),
    },
  );
}
