// Signs the days of the audit log. The key follows from the database's own: it is stored nowhere, and who has the public half
// can check an export without us.
import { createHash, createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import type { Schema } from '../../platform/database/schema.ts';
import { CHAIN_START } from '../../platform/sealing/hash-chain.ts';
import type { Sealer } from '../../platform/sealing/sealer.ts';

export type SegmentRow = Schema['audit_segments'];
type Checkpoint = Omit<SegmentRow, 'signature'>;

/** What comes before the seed in a private key of Ed25519 (RFC 8410, 7). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const KEY_ID_DIGITS = 16;

export function createCheckpoints(sealer: Pick<Sealer, 'digest'>) {
  const seed = sealer.digest('audit/checkpoint key', '');
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(privateKey);
  const spki = publicKey.export({ format: 'der', type: 'spki' });
  return {
    /** The row with its signature, to be written as it is. */
    sign: (checkpoint: Checkpoint): SegmentRow => ({
      ...checkpoint,
      signature: sign(null, textOf(checkpoint), privateKey),
    }),
    holds: (row: SegmentRow): boolean => verify(null, textOf(row), publicKey, row.signature),
    /** SPKI, PEM. */
    publicKey: publicKey.export({ format: 'pem', type: 'spki' }).toString(),
    /** The first digits of its SHA-256. */
    keyId: createHash('sha256').update(spki).digest('hex').slice(0, KEY_ID_DIGITS),
  };
}

export type Checkpoints = ReturnType<typeof createCheckpoints>;

interface BrokenDay {
  day: string;
  problem: string;
}

/** What is wrong with a day by its checkpoint and that of the day before, if anything. */
export function findProblem(
  { holds }: Pick<Checkpoints, 'holds'>,
  row: SegmentRow,
  before: SegmentRow | undefined,
): string | undefined {
  if (!holds(row)) return 'its checkpoint is not the one that was signed';
  const [start, next] = before ? [before.hash, before.first_seq + before.lines] : [CHAIN_START, 1];
  if (row.start !== start || row.first_seq !== next) return 'it does not follow from the day before';
  if (row.pruned && before && !before.pruned) return 'its lines are gone, though older ones are there';
  return undefined;
}

/** The days, oldest first, up to the first with which something is wrong. */
export function readDays(
  checkpoints: Pick<Checkpoints, 'holds'>,
  rows: readonly SegmentRow[],
): { sound: SegmentRow[]; broken: BrokenDay | undefined } {
  for (const [nth, row] of rows.entries()) {
    const problem = findProblem(checkpoints, row, rows[nth - 1]);
    if (problem !== undefined) return { sound: rows.slice(0, nth), broken: { day: row.day, problem } };
  }
  return { sound: [...rows], broken: undefined };
}

/** Written out field by field: docs/console.md shows the same line to whoever checks an export. */
function textOf({ day, first_seq, lines, start, hash, pruned }: Checkpoint): Buffer {
  return Buffer.from(`limen audit ${day} ${first_seq} ${lines} ${start} ${hash} ${pruned}`);
}
