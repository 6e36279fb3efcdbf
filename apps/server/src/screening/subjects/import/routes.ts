// HTTP of bulk imports: subjects as a stream of NDJSON or CSV.
import { createHash, type Hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { ImportSubjectsQuery, ref, SubjectImport } from '@limen/contract';
import { Type } from 'typebox';
import { formatOwner, toOwner } from '../../../platform/api-keys/owner.ts';
import { AppError } from '../../../platform/base/errors.ts';
import type { Context } from '../../../platform/context.ts';
import { isStrict } from '../../../platform/http/body/read-fields.ts';
import { inOwnScope } from '../../../platform/http/own-scope.ts';
import { hostRoutes } from '../../../platform/http/route.ts';
import type { Door } from '../../../platform/http/types.ts';
import { readIdempotencyKey } from '../../../platform/idempotency/idempotency.ts';
import { CsvError } from '../../csv/rows.ts';
import { MAX_IMPORT_BYTES } from '../../limits.ts';
import { TAG } from '../route-parts.ts';
import type { WatchedSubjects } from '../subjects.ts';
import type { ImportFormat } from './read-records.ts';
import { importSubjects } from './run.ts';

const FORMATS: Readonly<Record<string, ImportFormat>> = { 'application/x-ndjson': 'ndjson', 'text/csv': 'csv' };

export function registerImportRoute(
  { http, access }: Door,
  { idempotency }: Context,
  { puts }: WatchedSubjects,
  requireDataset: (name: string) => Promise<void>,
): void {
  // A scope of its own: this route reads a stream of any type, and rejects unknown types itself.
  inOwnScope(http, (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, payload, parsed) => parsed(null, payload));
    hostRoutes({ http: scope, access }, TAG, 'client')(
      'POST /v2/screening/subjects/import',
      {
        summary: 'Watch many subjects',
        description:
          'One subject per line of NDJSON, or per row of CSV with a header row. Each is added or changed as by `POST /v2/screening/subjects`, and screened in the background; the dataset, the threshold and the callback of one that is watched already stay as they are where neither its line nor the query says them. Lines that cannot be used are named and the others taken. If the call breaks off, what was taken stays: send it again.',
        consumes: Object.keys(FORMATS),
        idempotent: 'stream',
        query: ImportSubjectsQuery,
        body: Type.Unsafe<Readable>({}),
        bodyLimit: MAX_IMPORT_BYTES,
        config: { readsBody: true },
        reply: { 200: ref(SubjectImport, 'The result of each line.') },
        errors: {
          400: 'A query parameter is not known, or the file has no usable header row or broken quoting; the message then says how many lines were imported before it.',
          404: 'There is no dataset of the name in the query; the message lists those there are.',
          413: 'The body has more than 64 MiB; what came before stays.',
          415: 'The body is sent neither as application/x-ndjson nor as text/csv.',
          422: 'The `Idempotency-Key` was used with another file or another query.',
          507: 'No line was taken: the customer has as many subjects as there may be (`MAX_SUBJECTS`). If some lines were taken, the reply is 200 and `problems` names the others.',
        },
      },
      async ({ caller: key, body, query, request }) => {
        const type = (request.headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase();
        const format = FORMATS[type];
        if (!format) {
          throw new AppError('unsupported_media_type', 'Send the subjects as application/x-ndjson or text/csv.');
        }
        const owner = toOwner(key);
        const strict = isStrict(request);
        const hash = createHash('sha256').update(JSON.stringify([format, query, strict]));
        const idempotencyKey = readIdempotencyKey(request.headers['idempotency-key']);
        const once = { operation: 'watched-subjects.import', owner: formatOwner(owner) };
        const repeatable = idempotencyKey !== undefined && { ...once, key: idempotencyKey };
        const input = readBody(body, repeatable ? hash : undefined);
        const content = () => hash.copy().digest('base64url');
        if (repeatable && (await idempotency.isUsed(repeatable))) {
          for await (const _ of input);
          return idempotency.find<SubjectImport>({ ...repeatable, content: content() });
        }
        try {
          const order = { input, format, owner, apiKeyId: key.id, defaults: query, strict };
          const reply = await importSubjects(puts, { ...order, requireDataset });
          if (!repeatable) return reply;
          const resource = 'watched-subjects/import';
          return idempotency.once({ ...repeatable, content: content() }, async () => ({ reply, resource }));
        } catch (error) {
          throw error instanceof CsvError ? new AppError('malformed_request', error.message) : error;
        }
      },
    );
  });
}

/** Keeps the body open at the end: destroying it would close the connection before the reply. */
async function* readBody(body: Readable, hash: Hash | undefined): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_IMPORT_BYTES)
      throw new AppError(
        'payload_too_large',
        `An import may have at most ${MAX_IMPORT_BYTES} bytes; send the rest by itself.`,
      );
    hash?.update(chunk);
    yield chunk;
  }
}
