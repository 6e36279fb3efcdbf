// Idempotency keys: a repeated request gets the first reply again, even if that was lost on the way.
//
// One transaction writes the key's row and the resource. A concurrent request with the same key waits for it: on PostgreSQL at the
// primary key, on SQLite at the single writer.
import { createHash } from 'node:crypto';
import type { FieldWarning } from '@limen/contract';
import { Type } from 'typebox';
import type { OwnerName } from '../api-keys/owner.ts';
import type { Clock } from '../base/clock.ts';
import { AppError, invalid, unavailable } from '../base/errors.ts';
import type { Database, Queries, Transaction } from '../database/database.ts';
import type { Schema } from '../database/schema.ts';
import { writeKnownFields } from '../json/known-fields.ts';
import type { Sealer } from '../sealing/sealer.ts';
import { tables } from '../tables.ts';

const KEPT_MS = 24 * 60 * 60 * 1000;
const KEY_FORM = /^[\x21-\x7e]{1,255}$/;

export interface IdempotentRequest {
  operation: string;
  owner: OwnerName;
  key: string;
  /** Content that is compared when the key comes again; `digestContent` of an HTTP request */
  content: unknown;
  /** Name of the resource, if known in advance: `once` then writes the indexed column once. */
  resource?: string;
}

export type IdempotencyInput = Pick<IdempotentRequest, 'key' | 'content'>;

/** Idempotency and warnings of a creating call */
export interface Creation {
  /** Undefined if the client sent no idempotency key. */
  repeatable: IdempotencyInput | undefined;
  /** Part of the reply, so that a stored reply repeats it */
  warned: { warnings?: FieldWarning[] };
}

export function readIdempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header !== 'string' || !KEY_FORM.test(header)) {
    throw invalid('header.idempotency-key', 'must be 1 to 255 visible ASCII characters, sent once');
  }
  return header;
}

interface DigestedRequest {
  scope: string;
  keyDigest: Buffer;
  requestDigest: Buffer;
  place: string;
}

type StoredReply = Pick<Schema['idempotency_keys'], 'request_digest' | 'reply'>;

export class Idempotency {
  readonly #database: Database;
  readonly #sealer: Sealer;
  readonly #clock: Clock;

  constructor({ database, sealer, clock }: { database: Database; sealer: Sealer; clock: Clock }) {
    this.#database = database;
    this.#sealer = sealer;
    this.#clock = clock;
  }

  /** Runs `create` once per key. Deleting `resource` forgets the reply too. */
  once<Reply>(
    request: IdempotentRequest,
    create: (trx: Transaction) => Promise<{ reply: Reply; resource: string }>,
  ): Promise<Reply> {
    const digested = this.#digest(request);
    return this.#database.transact(async (trx) => {
      const claimed = { resource: request.resource ?? '', reply: Buffer.alloc(0) };
      if (!(await this.#claim(trx, digested, claimed))) return this.#open(digested, await this.#findRow(trx, digested));
      const { reply, resource } = await create(trx);
      await trx
        .updateTable('idempotency_keys')
        .set({ reply: this.#sealer.sealJson(reply, digested.place), resource })
        .where('scope', '=', digested.scope)
        .where('key_digest', '=', digested.keyDigest)
        .execute();
      return reply;
    });
  }

  /** Whether a reply is stored, for a request whose content is not read yet. */
  async isUsed(request: Omit<IdempotentRequest, 'content'>): Promise<boolean> {
    const digested = this.#digest({ ...request, content: null });
    return (await this.#findRow(this.#database.queries, digested)) !== undefined;
  }

  async find<Reply>(request: IdempotentRequest): Promise<Reply | undefined> {
    const digested = this.#digest(request);
    const row = await this.#findRow(this.#database.queries, digested);
    return row && this.#open(digested, row);
  }

  /** Stores a reply. Returns false if a concurrent request was first, whose reply `find` now returns. */
  async remember(trx: Transaction, request: IdempotentRequest, reply: unknown, resource: string): Promise<boolean> {
    const digested = this.#digest(request);
    return this.#claim(trx, digested, { resource, reply: this.#sealer.sealJson(reply, digested.place) });
  }

  /** Deletes the stored replies about these resources; part of deleting them. */
  async forget(trx: Transaction, ...resources: string[]): Promise<void> {
    await trx.deleteFrom('idempotency_keys').where('resource', 'in', resources).execute();
  }

  async purge(): Promise<void> {
    const { queries } = this.#database;
    await queries.deleteFrom('idempotency_keys').where('expires_at', '<=', this.#clock.now()).execute();
  }

  #digest({ operation, owner, key, content }: IdempotentRequest): DigestedRequest {
    const scope = `${operation}/${owner}`;
    const keyDigest = this.#sealer.digest('idempotency/key', `${scope}\n${key}`);
    const requestDigest = this.#sealer.digest('idempotency/request', JSON.stringify(content));
    return { scope, keyDigest, requestDigest, place: tables.idempotency_keys.places.reply({ key_digest: keyDigest }) };
  }

  /** A wrong clock expires no reply, because the request would be carried out twice. */
  #expiredUntil(): number {
    return this.#clock.isWrong?.() ? 0 : this.#clock.now();
  }

  /** Takes the key for this transaction, and replaces an expired row. Returns false if the key is taken. */
  async #claim(
    trx: Transaction,
    { scope, keyDigest, requestDigest }: DigestedRequest,
    kept: Pick<Schema['idempotency_keys'], 'resource' | 'reply'>,
  ): Promise<boolean> {
    const columns = { request_digest: requestDigest, ...kept, expires_at: this.#clock.now() + KEPT_MS };
    const claimed = await trx
      .insertInto('idempotency_keys')
      .values({ scope, key_digest: keyDigest, ...columns })
      .onConflict((conflict) =>
        conflict
          .columns(['scope', 'key_digest'])
          .doUpdateSet(columns)
          .where('idempotency_keys.expires_at', '<=', this.#expiredUntil()),
      )
      .executeTakeFirst();
    return (claimed.numInsertedOrUpdatedRows ?? 0n) > 0n;
  }

  #findRow(db: Queries, { scope, keyDigest }: DigestedRequest): Promise<StoredReply | undefined> {
    return db
      .selectFrom('idempotency_keys')
      .select(['request_digest', 'reply'])
      .where('scope', '=', scope)
      .where('key_digest', '=', keyDigest)
      .where('expires_at', '>', this.#expiredUntil())
      .executeTakeFirst();
  }

  #open<Reply>({ requestDigest, place }: DigestedRequest, row: StoredReply | undefined): Reply {
    if (!row) {
      // The resource was deleted between two statements.
      throw unavailable('The resource that this Idempotency-Key created is being deleted; send the request again.', 1);
    }
    if (!requestDigest.equals(row.request_digest)) {
      throw new AppError(
        'idempotency_key_reused',
        'This Idempotency-Key was used with a different body; use a new key for a new request.',
      );
    }
    return this.#sealer.openJson(row.reply, place) as Reply;
  }
}

/**
 * Returns equal digests for requests whose bodies parse to the same known fields; the order of keys and unknown fields do not
 * count. Free-form values are compared by their text: 1.10 and 1.1 inside `metadata` differ. `text` is the text of the body, and
 * `target` is what the path names.
 */
export function digestContent(schema: object, body: unknown, text: string | null, target: unknown = null): string {
  const content = `${JSON.stringify(target)}\n${writeKnownFields(schema, body, text ?? undefined)}`;
  return createHash('sha256').update(content).digest('base64url');
}

/** Headers in the schema of an operation that takes a key */
export const IDEMPOTENCY_HEADER = {
  'idempotency-key': Type.Optional(
    Type.String({
      description:
        'A repeated request with the same key returns the first reply. Kept for 24 hours, or until what it created is deleted.',
    }),
  ),
};
