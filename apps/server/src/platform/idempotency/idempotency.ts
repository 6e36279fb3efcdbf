// Idempotency keys: the same request sent again gets the first reply again, whatever was lost in between.
//
// The key's row and the thing it created are written in one transaction. A second request with the same key that comes
// while the first is still running waits for it: on PostgreSQL at the primary key, on SQLite at the one writer.
import type { Clock } from '../clock.ts';
import type { Database, Transaction } from '../database/database.ts';
import { AppError, invalid } from '../errors.ts';
import type { Sealer } from '../sealing/sealer.ts';

const KEPT_MS = 24 * 60 * 60 * 1000;
const KEY_FORM = /^[\x21-\x7e]{1,255}$/;

export interface IdempotentRequest {
  /** The operation and who called it: `POST /strings` of one customer does not meet that of another. */
  scope: string;
  key: string;
  /** The request's content, compared when the key comes again. */
  content: unknown;
}

export interface Idempotency {
  /**
   * Runs `create` once per key. `resource` names what it made, so that deleting that thing can forget the reply too.
   */
  once<Reply>(
    request: IdempotentRequest,
    create: (trx: Transaction) => Promise<{ reply: Reply; resource: string }>,
  ): Promise<Reply>;
  /** Forgets the stored replies about a resource; part of deleting it. */
  forget(trx: Transaction, resource: string): Promise<void>;
  /** Deletes keys that are past their time. */
  purge(): Promise<void>;
}

/** The header's value, or undefined when it was not sent. */
export function readIdempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header !== 'string' || !KEY_FORM.test(header)) {
    throw invalid('header.idempotency-key', 'must be 1 to 255 visible ASCII characters, sent once');
  }
  return header;
}

interface IdempotencyOptions {
  database: Database;
  sealer: Sealer;
  clock: Clock;
}

export function createIdempotency({ database, sealer, clock }: IdempotencyOptions): Idempotency {
  return {
    once(request, create) {
      const keyDigest = sealer.digest('idempotency/key', `${request.scope}\n${request.key}`);
      const requestDigest = sealer.digest('idempotency/request', JSON.stringify(request.content));
      const place = `idempotency_keys/reply/${keyDigest.toString('hex')}`;

      return database.transact(async (trx) => {
        await trx
          .deleteFrom('idempotency_keys')
          .where('scope', '=', request.scope)
          .where('key_digest', '=', keyDigest)
          .where('expires_at', '<=', clock.now())
          .execute();
        const claimed = await trx
          .insertInto('idempotency_keys')
          .values({
            scope: request.scope,
            key_digest: keyDigest,
            request_digest: requestDigest,
            reply: Buffer.alloc(0),
            resource: '',
            expires_at: clock.now() + KEPT_MS,
          })
          .onConflict((conflict) => conflict.columns(['scope', 'key_digest']).doNothing())
          .executeTakeFirst();

        if ((claimed.numInsertedOrUpdatedRows ?? 0n) === 0n) {
          const row = await trx
            .selectFrom('idempotency_keys')
            .select(['request_digest', 'reply'])
            .where('scope', '=', request.scope)
            .where('key_digest', '=', keyDigest)
            .executeTakeFirst();
          if (!row) {
            // Its resource was deleted between the two statements.
            throw new AppError(
              'unavailable',
              'What this Idempotency-Key created is just being deleted; send it again.',
              {
                headers: { 'retry-after': '1' },
              },
            );
          }
          if (!requestDigest.equals(row.request_digest)) {
            throw new AppError(
              'idempotency_key_reused',
              'This Idempotency-Key was used with a different body; use a new key for a new request.',
            );
          }
          return sealer.openJson(row.reply, place) as Awaited<ReturnType<typeof create>>['reply'];
        }

        const { reply, resource } = await create(trx);
        await trx
          .updateTable('idempotency_keys')
          .set({ reply: sealer.sealJson(reply, place), resource })
          .where('scope', '=', request.scope)
          .where('key_digest', '=', keyDigest)
          .execute();
        return reply;
      });
    },

    async forget(trx, resource) {
      await trx.deleteFrom('idempotency_keys').where('resource', '=', resource).execute();
    },

    async purge() {
      await database.queries.deleteFrom('idempotency_keys').where('expires_at', '<=', clock.now()).execute();
    },
  };
}
