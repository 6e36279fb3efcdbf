// The string store.
import type { CreatedString, CreateStringRequest, ListStringsQuery, StringPage, StringRecord } from '@limen/contract';
import type { CallOptions } from '../http/exchange.ts';
import { iteratePages } from '../http/iterate-pages.ts';
import type { RequestFunction } from '../http/request.ts';
import { mintUuid } from '../text/uuid.ts';

export interface CreateStringOptions extends CallOptions {
  /** Pass one to make the call repeatable beyond this process; by default each call has its own. */
  idempotencyKey?: string | undefined;
}

export interface ListStringsOptions extends CallOptions {
  limit?: ListStringsQuery['limit'] | undefined;
  /** The `nextCursor` of the page before. */
  cursor?: ListStringsQuery['cursor'] | undefined;
}

export interface IterateStringsOptions extends CallOptions {
  /** Records fetched with one request; the service decides by default. */
  pageSize?: ListStringsQuery['limit'] | undefined;
}

export interface StringsClient {
  create(value: string, options?: CreateStringOptions): Promise<CreatedString>;
  get(id: string, options?: CallOptions): Promise<StringRecord>;
  /** Resolves when the record is gone; rejects with 404 when there was none to begin with. */
  delete(id: string, options?: CallOptions): Promise<void>;
  /** One page, newest first. */
  list(options?: ListStringsOptions): Promise<StringPage>;
  /** Every record, newest first, page by page as the loop asks for them. */
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
