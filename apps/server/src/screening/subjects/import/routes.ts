// HTTP of bulk imports: subjects as NDJSON or CSV, taken as they arrive.
import { createHash, type Hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { ErrorReply, ImportSubjectsQuery, ref, SubjectImport } from '@limen/contract';
import { Type } from 'typebox';
import { nameOf, ownerOf } from '../../../platform/api-keys/owner.ts';
import { AppError } from '../../../platform/base/errors.ts';
import { type Access, clientOf } from '../../../platform/http/access.ts';
import { isStrict } from '../../../platform/http/body/read-fields.ts';
import { inOwnScope } from '../../../platform/http/own-scope.ts';
import type { HttpServer } from '../../../platform/http/types.ts';
import { IDEMPOTENCY_HEADER } from '../../../platform/idempotency/header.ts';
import { type Idempotency, readIdempotencyKey } from '../../../platform/idempotency/idempotency.ts';
import { CsvError } from '../../csv/rows.ts';
import { MAX_IMPORT_BYTES } from '../../limits.ts';
import type { WatchedSubjects } from '../subjects.ts';
import type { ImportFormat } from './read-records.ts';
import { importSubjects } from './run.ts';

const FORMATS: Readonly<Record<string, ImportFormat>> = { 'application/x-ndjson': 'ndjson', 'text/csv': 'csv' };

interface ImportRoutes {
  access: Access;
  watched: WatchedSubjects;
  requireDataset: (name: string) => Promise<void>;
  idempotency: Pick<Idempotency, 'isUsed' | 'find' | 'once'>;
}

export function registerImportRoute(app: HttpServer, parts: ImportRoutes): void {
  const { access, watched, requireDataset, idempotency } = parts;
  // A scope of its own: this route takes a stream, of whatever type, and itself refuses those that it does not read.
  inOwnScope(app, (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, payload, parsed) => parsed(null, payload));
    scope.post(
      '/v2/screening/subjects/import',
      {
        onRequest: access.requireClient,
        bodyLimit: MAX_IMPORT_BYTES,
        config: { readsBody: true },
        schema: {
          tags: ['Watched subjects'],
          security: [{ apiKey: [] }, { apiKey: [], client: [] }],
          summary: 'Watch many subjects',
          description:
            'One subject per line of NDJSON, or per row of CSV with a header row. Each is added or changed as by `POST /v2/screening/subjects`, and screened in the background; the dataset, the threshold and the callback of one that is watched already stay as they are where neither its line nor the query says them. Lines that cannot be used are named and the others taken. If the call breaks off, what was taken stays: send it again.',
          consumes: Object.keys(FORMATS),
          headers: Type.Object(IDEMPOTENCY_HEADER),
          querystring: ImportSubjectsQuery,
          body: Type.Unsafe<unknown>({}),
          response: {
            200: ref(SubjectImport, 'What became of the lines.'),
            400: ref(
              ErrorReply,
              'A query parameter is not known, or the file has no usable header row or broken quoting; the message then says what was taken before.',
            ),
            401: ref(
              ErrorReply,
              'The API key is missing, unknown or inactive; or it has client credentials, and they are missing or wrong.',
            ),
            404: ref(ErrorReply, 'There is no dataset of the name in the query; the message lists those there are.'),
            413: ref(ErrorReply, 'The body has more than 64 MiB; what came before stays.'),
            415: ref(ErrorReply, 'The body is sent neither as application/x-ndjson nor as text/csv.'),
            422: ref(ErrorReply, 'The `Idempotency-Key` was used with another file or another query.'),
            507: ref(
              ErrorReply,
              'No line was taken: the customer has as many subjects as there may be (`MAX_SUBJECTS`). If some lines were taken, the reply is 200 and `problems` names the others.',
            ),
          },
        },
      },
      async (request) => {
        const key = clientOf(request);
        const type = (request.headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase();
        const format = FORMATS[type];
        if (!format) {
          throw new AppError('unsupported_media_type', 'Send the subjects as application/x-ndjson or text/csv.');
        }
        const hash = createHash('sha256').update(JSON.stringify([format, request.query, isStrict(request)]));
        const idempotencyKey = readIdempotencyKey(request.headers['idempotency-key']);
        const owner = nameOf(ownerOf(key));
        const repeatable = idempotencyKey !== undefined && {
          ...{ operation: 'watched-subjects.import', owner, key: idempotencyKey },
        };
        const sent = upTo(MAX_IMPORT_BYTES, request.body as Readable);
        const input = repeatable ? hashed(hash, sent) : sent;
        const content = () => hash.copy().digest('base64url');
        if (repeatable && (await idempotency.isUsed(repeatable))) {
          for await (const _ of input);
          return idempotency.find<SubjectImport>({ ...repeatable, content: content() });
        }
        try {
          const counts = await importSubjects(watched.puts, {
            input,
            format,
            owner: ownerOf(key),
            apiKeyId: key.id,
            defaults: request.query as ImportSubjectsQuery,
            requireDataset,
            strict: isStrict(request),
          });
          if (!repeatable) return counts;
          const resource = 'watched-subjects/import';
          return idempotency.once({ ...repeatable, content: content() }, async () => ({ reply: counts, resource }));
        } catch (error) {
          if (error instanceof CsvError) throw new AppError('malformed_request', error.message);
          throw error;
        }
      },
    );
  });
}

async function* hashed(hash: Hash, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
}

/** Leaves the body open when it stops: to destroy it would close the connection before the reply. */
async function* upTo(maxBytes: number, body: Readable): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      throw new AppError('payload_too_large', `An import may have at most ${maxBytes} bytes; send the rest by itself.`);
    }
    yield chunk;
  }
}
