// Texts, parameters and idempotency that the routes of watched subjects share.
import { Type } from 'typebox';
import { formatOwner, type Owner } from '../../platform/api-keys/owner.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { AddHostRoute } from '../../platform/http/route.ts';
import type { Creation, Idempotency } from '../../platform/idempotency/idempotency.ts';

export type AddRoute = AddHostRoute<'client'>;

export const TAG = 'Watched subjects';
export const NOT_VALID = 'A field is missing, wrong or too long; the message names it.';
export const UNKNOWN_SUBJECT = 'There is no such subject, or it belongs to another customer or world.';
export const IdPath = Type.Object({ id: Type.String({ description: 'The subject’s id.' }) });

/** Runs `work` once per idempotency key, if the client sent one. */
export async function runOnce<Reply>(
  idempotency: Pick<Idempotency, 'once'>,
  name: 'put' | 'decide' | 'withdraw',
  owner: Owner,
  { repeatable }: Creation,
  work: (trx?: Transaction) => Promise<{ reply: Reply; resource: string }>,
): Promise<Reply> {
  if (repeatable === undefined) return (await work()).reply;
  return idempotency.once({ operation: `watched-subjects.${name}`, owner: formatOwner(owner), ...repeatable }, work);
}
