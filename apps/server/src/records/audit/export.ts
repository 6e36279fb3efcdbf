// The log as others can check it: the public key, the lines, and after each day its signed checkpoint, as JSON lines.
import type { OpenedAudit } from './open.ts';
import { type AuditCheck, type AuditReading, verifyAudit } from './verify.ts';

/** Checks it on the way; what is broken ends it. `write` is waited for. */
export async function exportAudit(
  { store, checkpoints, sealer }: Pick<OpenedAudit, 'store' | 'checkpoints'> & Pick<AuditReading, 'sealer'>,
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
