// Signs the days of the audit log. The key is derived from the database's own and stored nowhere. Anyone with the public key can check an
// export without the service.
import { createHash, createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import type { Schema } from '../../platform/database/schema.ts';
import { CHAIN_START } from '../../platform/sealing/hash-chain.ts';
import type { Sealer } from '../../platform/sealing/sealer.ts';

export type SegmentRow = Schema['audit_segments'];
type Checkpoint = Omit<SegmentRow, 'signature'>;

/** Start of an Ed25519 private key, before the seed (RFC 8410, 7). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const KEY_ID_DIGITS = 16;

export function createCheckpoints(sealer: Pick<Sealer, 'digest'>) {
  const seed = sealer.digest('audit/checkpoint key', '');
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(privateKey);
  const spki = publicKey.export({ format: 'der', type: 'spki' });
  return {
    sign: (checkpoint: Checkpoint): SegmentRow => ({
      ...checkpoint,
      signature: sign(null, formatCheckpoint(checkpoint), privateKey),
    }),
    holds: (row: SegmentRow): boolean => verify(null, formatCheckpoint(row), publicKey, row.signature),
    publicKey: publicKey.export({ format: 'pem', type: 'spki' }).toString(),
    keyId: createHash('sha256').update(spki).digest('hex').slice(0, KEY_ID_DIGITS),
  };
}

export type Checkpoints = ReturnType<typeof createCheckpoints>;

/** Checks a day against its checkpoint and that of the previous day. */
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

/** Returns the days, oldest first, before the first one with a problem. */
export function readDays(checkpoints: Pick<Checkpoints, 'holds'>, rows: readonly SegmentRow[]) {
  for (const [nth, row] of rows.entries()) {
    const problem = findProblem(checkpoints, row, rows[nth - 1]);
    if (problem !== undefined) return { sound: rows.slice(0, nth), broken: { day: row.day, problem } };
  }
  return { sound: [...rows], broken: undefined };
}

/** Writes each field out, because docs/console.md shows this line to those who check an export. */
function formatCheckpoint({ day, first_seq, lines, start, hash, pruned }: Checkpoint): Buffer {
  return Buffer.from(`limen audit ${day} ${first_seq} ${lines} ${start} ${hash} ${pruned}`);
}
