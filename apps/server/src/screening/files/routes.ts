// HTTP of the bulk sanctions check.
import { Readable } from 'node:stream';
import multipart from '@fastify/multipart';
import { DatasetList, ref, SCREENING_FILE_MAX_BYTES, ScreeningQuery, ScreeningReply } from '@limen/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { Type } from 'typebox';
import { AppError, describeForLog } from '../../platform/base/errors.ts';
import { findWorkOwner } from '../../platform/http/limits/client-account.ts';
import { inOwnScope } from '../../platform/http/own-scope.ts';
import { hostRoutes } from '../../platform/http/route.ts';
import type { Door } from '../../platform/http/types.ts';
import { openSentCsv } from '../csv/file.ts';
import { createSignal, explainFailure, givenUp, LaneClosedError, WorkerError } from '../engine/pool.ts';
import { readThreshold } from '../match/threshold.ts';
import { guardPace, holdSocketOpen } from './patience.ts';
import type { Sanctions, ScreenedFile } from './screen.ts';
import { readsExtendedColumns, readUpload, UPLOAD_BODY_LIMIT, UPLOAD_LIMITS } from './upload.ts';

const PATH = '/v2/open-sanctions';
const TAG = 'Sanctions check';
const MAX_BYTES = SCREENING_FILE_MAX_BYTES.toLocaleString('en-US');

const dataset = Type.String({ description: 'One of the names that `GET /v2/open-sanctions/datasets` lists.' });
/** Only for the reference: the form is read as a stream. */
const UploadForm = Type.Object({
  file: Type.Unsafe<unknown>({
    type: 'string',
    format: 'binary',
    description: `A \`.csv\` file of at most ${MAX_BYTES} bytes in UTF-8 with a header row naming \`id\`, \`firstname\`, \`lastname\` and \`dob\`, in any order and case. With \`columns=extended\` it may also have \`name\`, \`schema\`, \`country\`, \`nationality\`, \`identifier\` and \`address\`, with several values in a cell separated by \`;\` or \`|\`. All other columns are ignored. Delimiter \`,\` \`;\` or tab.`,
  }),
});

interface SanctionsRoutes {
  sanctions: Sanctions;
  log: Logger;
  /** Whether an API key is required. */
  closed: boolean;
  /** Maximum average time of a client for half a mebibyte of the reply. */
  takeMs?: number | undefined;
}

export function registerSanctionsRoutes({ http, access }: Door, options: SanctionsRoutes): void {
  const keys = options.closed ? 'key' : 'recognized';
  hostRoutes({ http, access }, TAG, keys)(
    `GET ${PATH}/datasets`,
    {
      summary: 'List datasets',
      description: 'Collections first, then the lists that are loaded, loading or broken.',
      reply: { 200: ref(DatasetList, 'The datasets to screen against.') },
    },
    () => ({ datasets: options.sanctions.datasets() }),
  );

  // A scope of its own: only this route reads forms.
  inOwnScope(http, (scope) => {
    scope.removeAllContentTypeParsers();
    void scope.register(multipart, { limits: UPLOAD_LIMITS, throwFileSizeLimit: false });
    scope.setErrorHandler((error) => {
      if ((error as { code?: string } | undefined)?.code !== 'FST_ERR_CTP_INVALID_MEDIA_TYPE') throw error;
      throw new AppError('unsupported_media_type', 'Send the file as multipart/form-data with that Content-Type.');
    });
    // Checked by the handler: the order of the checks is part of the contract.
    scope.setValidatorCompiler(() => () => true);
    hostRoutes({ http: scope, access }, TAG, keys)(
      `POST ${PATH}/file/:dataset`,
      {
        summary: 'Screen the people in a CSV file',
        description:
          'Compares each row with the dataset by name and date of birth, and with `columns=extended` by its other columns, as `POST /v2/screening/match` does. The request is checked in this order: form and file part, file name, size, header row and quoting, threshold, dataset. If the dataset is still loading, the request waits; files sent at the same time take turns.',
        consumes: ['multipart/form-data'],
        params: Type.Object({ dataset }),
        query: ScreeningQuery,
        body: UploadForm,
        bodyLimit: UPLOAD_BODY_LIMIT,
        config: { readsBody: true },
        reply: {
          200: ref(ScreeningReply, 'Every row, in the order of the file, and the matched ones in the summary.'),
        },
        errors: {
          400: 'No file part or a second one, `Only CSV files are allowed!`, not UTF-8, `Missing required CSV headers` (`details` names them), broken quoting (with the line), a threshold outside 0 to 1, or `columns` that is not `extended`.',
          404: 'There is no such dataset; the message lists those there are.',
          413: `The file has more than ${MAX_BYTES} bytes, or the form around it is too large.`,
          415: 'The body is not sent as multipart/form-data.',
          503: 'The dataset could not be loaded, so it cannot be used.',
        },
      },
      ({ params, request, reply }) => screenUpload(options, params.dataset, request, reply),
    );
  });
}

async function screenUpload(
  { sanctions, log, takeMs }: SanctionsRoutes,
  dataset: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Readable> {
  const gone = createSignal(reply); // also aborted when the reply is out
  const startedAt = performance.now();
  const bytes = await readUpload(request);
  const receivedAt = performance.now();
  // From here on the client waits, and may be silent.
  const releaseSocket = holdSocketOpen(request.raw.socket);
  let screened: ScreenedFile;
  try {
    const file = await openSentCsv(bytes, { extended: readsExtendedColumns(request.query) });
    const threshold = readThreshold(request.query);
    screened = await sanctions.screen({ dataset, threshold, file, owner: findWorkOwner(request), signal: gone });
  } catch (error) {
    explainFailure(error, request.id, log);
  } finally {
    releaseSocket();
  }
  const screenedAt = performance.now();
  if (gone.aborted) {
    screened.close();
    throw givenUp();
  }
  gone.addEventListener('abort', () => {
    screened.close();
    // Counts and times only, without names of people or files.
    const { total: rows, matched } = screened;
    const times = {
      receiveMs: Math.round(receivedAt - startedAt),
      screenMs: Math.round(screenedAt - receivedAt),
      replyMs: Math.round(performance.now() - screenedAt),
    };
    const counts = { rows, matched, bytes: bytes.length, complete: reply.raw.writableFinished };
    log.info({ requestId: request.id, ...counts, ...times }, 'file screened');
  });
  const parts = guardPace(screened.reply(), () => reply.raw.destroy(), takeMs);
  const body = Readable.from(parts, { objectMode: false });
  body.once('error', (error) => {
    if (error instanceof LaneClosedError) return;
    const failure = error instanceof WorkerError ? error.failure : describeForLog(error);
    log.error({ requestId: request.id, ...failure }, 'a reply broke off');
  });
  reply.type('application/json; charset=utf-8');
  return body;
}
