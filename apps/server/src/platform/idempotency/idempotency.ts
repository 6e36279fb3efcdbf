// Idempotency keys: the same request sent again gets the first reply again, whatever was lost in between.
//
// The key's row and the thing it created are written in one transaction. A second request with the same key that comes
// while the first is still running waits for it: on PostgreSQL at the primary key, on SQLite at the one writer.
import type { FieldWarning } from '@limen/contract';
import type { OwnerName } from '../api-keys/owner.ts';
import type { Clock } from '../base/clock.ts';
import { AppError, invalid } from '../base/errors.ts';
import type { Database, Queries, Transaction } from '../database/database.ts';
import type { Schema } from '../database/schema.ts';
import type { Sealer } from '../sealing/sealer.ts';
import { tables } from '../tables.ts';

const KEPT_MS = 24 * 60 * 60 * 1000;
const KEY_FORM = /^[\x21-\x7e]{1,255}$/;

export interface IdempotentRequest {
  operation: string;
  /** Who called it: a key that one owner used does not meet that of another. */
  owner: OwnerName;
  key: string;
  /** The request's content, compared when the key comes again; of an HTTP request its `digestContent`. */
  content: unknown;
  /** Name of what it creates, if known before: `once` then writes the indexed column once. */
  resource?: string;
}

/** The idempotency key of a call, and the content that is compared when the key comes again. */
export type Repeatable = Pick<IdempotentRequest, 'key' | 'content'>;

/** A call that creates something, apart from its fields. */
export interface Creation {
  /** Undefined if the client sent no idempotency key. */
  repeatable: Repeatable | undefined;
  /** Belongs into the reply, so that a stored reply repeats it. */
  warned: { warnings?: FieldWarning[] };
}

export interface Idempotency {
  /**
   * Runs `create` once per key. `resource` names what it made, so that deleting that thing can forget the reply too.
   */
  once<Reply>(
    request: IdempotentRequest,
    create: (trx: Transaction) => Promise<{ reply: Reply; resource: string }>,
  ): Promise<Reply>;
  /** Whether a reply is kept, for a request whose content is not known before it has been read. */
  isUsed(request: Omit<IdempotentRequest, 'content'>): Promise<boolean>;
  /** The two halves of `once`, for work that decides in a transaction of its own: the reply that was given before, */
  find<Reply>(request: IdempotentRequest): Promise<Reply | undefined>;
  /** and keeping one in the transaction that earns it; false when a twin was first, whose reply `find` now has. */
  remember(trx: Transaction, request: IdempotentRequest, reply: unknown, resource: string): Promise<boolean>;
  /** Forgets the stored replies about these resources; part of deleting them. */
  forget(trx: Transaction, ...resources: string[]): Promise<void>;
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

interface DigestedRequest {
  scope: string;
  keyDigest: Buffer;
  requestDigest: Buffer;
  /** Where the reply is sealed for. */
  place: string;
}

type StoredReply = Pick<Schema['idempotency_keys'], 'request_digest' | 'reply'>;

export function createIdempotency({ database, sealer, clock }: IdempotencyOptions): Idempotency {
  return {
    once(request, create) {
      const digested = digest(request);
      return database.transact(async (trx) => {
        const claimed = { resource: request.resource ?? '', reply: Buffer.alloc(0) };
        if (!(await claim(trx, digested, claimed))) return open(digested, await findRow(trx, digested));
        const { reply, resource } = await create(trx);
        await fill(trx, digested, reply, resource);
        return reply;
      });
    },

    async isUsed(request) {
      return (await findRow(database.queries, digest({ ...request, content: null }))) !== undefined;
    },

    async find(request) {
      const digested = digest(request);
      const row = await findRow(database.queries, digested);
      return row && open(digested, row);
    },

    async remember(trx, request, reply, resource) {
      const digested = digest(request);
      return claim(trx, digested, { resource, reply: sealer.sealJson(reply, digested.place) });
    },

    async forget(trx, ...resources) {
      await trx.deleteFrom('idempotency_keys').where('resource', 'in', resources).execute();
    },

    async purge() {
      await database.queries.deleteFrom('idempotency_keys').where('expires_at', '<=', clock.now()).execute();
    },
  };

  function digest({ operation, owner, key, content }: IdempotentRequest): DigestedRequest {
    const scope = `${operation}/${owner}`;
    const keyDigest = sealer.digest('idempotency/key', `${scope}\n${key}`);
    const requestDigest = sealer.digest('idempotency/request', JSON.stringify(content));
    return { scope, keyDigest, requestDigest, place: tables.idempotency_keys.places.reply({ key_digest: keyDigest }) };
  }

  /** A wrong clock expires no reply: the request would be done twice. */
  function expiredUntil(): number {
    return clock.isWrong?.() ? 0 : clock.now();
  }

  /** Takes the key for this transaction; false when it is taken already. A row that is past its time is replaced. */
  async function claim(
    trx: Transaction,
    { scope, keyDigest, requestDigest }: DigestedRequest,
    kept: Pick<Schema['idempotency_keys'], 'resource' | 'reply'>,
  ): Promise<boolean> {
    const columns = { request_digest: requestDigest, ...kept, expires_at: clock.now() + KEPT_MS };
    const claimed = await trx
      .insertInto('idempotency_keys')
      .values({ scope, key_digest: keyDigest, ...columns })
      .onConflict((conflict) =>
        conflict
          .columns(['scope', 'key_digest'])
          .doUpdateSet(columns)
          .where('idempotency_keys.expires_at', '<=', expiredUntil()),
      )
      .executeTakeFirst();
    return (claimed.numInsertedOrUpdatedRows ?? 0n) > 0n;
  }

  async function fill(trx: Transaction, request: DigestedRequest, reply: unknown, resource: string): Promise<void> {
    await trx
      .updateTable('idempotency_keys')
      .set({ reply: sealer.sealJson(reply, request.place), resource })
      .where('scope', '=', request.scope)
      .where('key_digest', '=', request.keyDigest)
      .execute();
  }

  function findRow(db: Queries, { scope, keyDigest }: DigestedRequest): Promise<StoredReply | undefined> {
    return db
      .selectFrom('idempotency_keys')
      .select(['request_digest', 'reply'])
      .where('scope', '=', scope)
      .where('key_digest', '=', keyDigest)
      .where('expires_at', '>', expiredUntil())
      .executeTakeFirst();
  }

  function open<Reply>({ requestDigest, place }: DigestedRequest, row: StoredReply | undefined): Reply {
    if (!row) {
      // Its resource was deleted between two statements.
      throw new AppError(
        'unavailable',
        'What this Idempotency-Key created is being deleted right now; send the request again.',
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
    return sealer.openJson(row.reply, place) as Reply;
  }
}
