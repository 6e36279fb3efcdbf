// Verifies that a deletion receipt is genuine and belongs to the deleted object.
import type { DeletedKind, DeletionReceipt, SignedClaims } from '@limen/contract';
import { SignedError } from './signed-error.ts';
import { type VerifySignedOptions, verifyToken } from './verify-token.ts';

export interface VerifyReceiptOptions extends VerifySignedOptions {
  /** Id of the deleted object as in the call: `token`, `sessionId`, `id` or the plain `puid`. */
  id: string;
}

export interface VerifiedReceipt {
  deleted: DeletedKind;
  deletedAt: Date;
  world: SignedClaims['world'];
}

/** Resolves with the receipt. Rejects with a `SignedError` if it is not genuine. */
export async function verifyReceipt(jwt: string, options: VerifyReceiptOptions): Promise<VerifiedReceipt> {
  const { claims } = await verifyToken(jwt, ['limen-deletion-receipt+jwt'], options);
  const { deleted, deletedAt, idDigest, world } = claims as unknown as DeletionReceipt;
  if (idDigest !== (await digestOf(options.id))) {
    throw new SignedError('wrong_id', 'The receipt is for something else.');
  }
  return { deleted, deletedAt: new Date(deletedAt), world };
}

async function digestOf(id: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(id));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
