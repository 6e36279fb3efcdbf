// The routes of the string store.
import {
  CreatedString,
  CreateStringRequest,
  ListStringsQuery,
  ref,
  STRING_PAGE_DEFAULT,
  StringPage,
  StringRecord,
} from '@limen/contract';
import { Type } from 'typebox';
import type { ApiKeyRecord } from '../platform/api-keys/api-keys.ts';
import { formatOwner, NO_OWNER, type OwnerName, toOwner } from '../platform/api-keys/owner.ts';
import type { Context } from '../platform/context.ts';
import type { Amount } from '../platform/database/capacity.ts';
import { hostRoutes } from '../platform/http/route.ts';
import type { Door } from '../platform/http/types.ts';
import { MAX_BODY_BYTES } from './limits.ts';
import { createStrings } from './service.ts';

const IdPath = Type.Object({ id: Type.String({ description: 'The record’s id.' }) });
const NOT_FOUND = { 404: 'There is no such string, or it belongs to another customer or world.' };

/** `max`: limit of each world. `closed`: an API key is required, and each customer sees only its own strings. */
export function openStrings(context: Context, door: Door, { max, closed }: { max: Amount; closed: boolean }): void {
  const strings = createStrings(context, max);
  const add = hostRoutes(door, 'String store', closed ? 'key' : 'none');

  add(
    'POST /strings',
    {
      summary: 'Create a string',
      idempotent: true,
      body: CreateStringRequest,
      bodyLimit: MAX_BODY_BYTES,
      reply: { 201: ref(CreatedString, 'Created and saved to disk.') },
      errors: {
        400: 'The body is not JSON, or the value cannot be stored.',
        413: 'The body is larger than even the longest value needs.',
        507: 'The store is full.',
      },
    },
    async ({ caller, body, creation, reply }) => {
      const record = await strings.create(ownerName(caller), body.value, creation);
      reply.header('location', `/strings/${record.id}`);
      return record;
    },
  );

  add(
    'GET /strings',
    {
      summary: 'List strings',
      description:
        'Newest first. Follow `nextCursor` until it is absent: every record that exists throughout comes exactly once, whatever others write or delete in the meantime.',
      query: ListStringsQuery,
      config: { countsReply: true },
      reply: { 200: ref(StringPage, 'One page.') },
      errors: { 400: 'The limit or cursor is not valid.' },
    },
    ({ caller, query: { limit = STRING_PAGE_DEFAULT, cursor } }) => strings.list(ownerName(caller), limit, cursor),
  );

  add(
    'GET /strings/:id',
    {
      summary: 'Get one string',
      params: IdPath,
      reply: { 200: ref(StringRecord, 'The string.') },
      errors: NOT_FOUND,
    },
    ({ caller, params }) => strings.get(ownerName(caller), params.id),
  );

  add(
    'DELETE /strings/:id',
    {
      summary: 'Delete one string',
      params: IdPath,
      reply: { 204: Type.Null({ description: 'Deleted.' }) },
      errors: NOT_FOUND,
    },
    ({ caller, params }) => strings.delete(ownerName(caller), params.id),
  );
}

function ownerName(caller: ApiKeyRecord | null): OwnerName {
  return caller ? formatOwner(toOwner(caller)) : NO_OWNER;
}
