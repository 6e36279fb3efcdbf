// The string store.
import type { CreatedString, CreateStringRequest, ListStringsQuery, StringPage, StringRecord } from '@limen/contract';
import type { CallOptions } from '../http/exchange.ts';
import { iteratePages } from '../http/iterate-pages.ts';
import type { RequestFunction } from '../http/request.ts';
import { mintUuid } from '../text/uuid.ts';

export interface CreateStringOptions extends CallOptions {
  /** Idempotency key, for calls repeated by another process. Default: a new one per call. */
  idempotencyKey?: string | undefined;
}

export interface ListStringsOptions extends CallOptions {
  limit?: ListStringsQuery['limit'] | undefined;
  /** `nextCursor` of the previous page. */
  cursor?: ListStringsQuery['cursor'] | undefined;
}

export interface IterateStringsOptions extends CallOptions {
  /** Records per request. Default: the service's. */
  pageSize?: ListStringsQuery['limit'] | undefined;
}

export interface StringsClient {
  create(value: string, options?: CreateStringOptions): Promise<CreatedString>;
  get(id: string, options?: CallOptions): Promise<StringRecord>;
  /** Deletes a record. Rejects with 404 if it does not exist. */
  delete(id: string, options?: CallOptions): Promise<void>;
  /** Returns one page, newest first. */
  list(options?: ListStringsOptions): Promise<StringPage>;
  /** Iterates over all records, newest first. Pages are fetched on demand. */
  iterate(options?: IterateStringsOptions): AsyncGenerator<StringRecord, void, undefined>;
}

export function createStringsClient(request: RequestFunction): StringsClient {
  const list = ({ limit, cursor, signal }: ListStringsOptions = {}) =>
    request<StringPage>({ method: 'GET', path: ['strings'], query: { limit, cursor }, signal });

  return {
    create(value, { idempotencyKey = mintUuid(), signal } = {}) {
      const json: CreateStringRequest = { value };
      return request({ method: 'POST', path: ['strings'], json, idempotencyKey, signal });
    },
    get: (id, { signal } = {}) => request({ method: 'GET', path: ['strings', id], signal }),
    delete: (id, { signal } = {}) => request({ method: 'DELETE', path: ['strings', id], signal }),
    list,
    iterate: ({ pageSize, signal } = {}) =>
      iteratePages(
        (cursor) => list({ limit: pageSize, cursor, signal }),
        ({ strings }) => strings,
      ),
  };
}
