// Screening in the console: the lists, a search for one name, and a file that is screened with progress.
import { isUtf8 } from 'node:buffer';
import { PassThrough, Readable } from 'node:stream';
import {
  oneOf,
  SCORE_THRESHOLD_DEFAULT,
  SCREENING_FILE_MAX_BYTES,
  SUBJECT_SCHEMAS,
  SUBJECT_TEXT_MAX,
} from '@limen/contract';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Console } from '../../console/door/console.ts';
import { requireOperator } from '../../console/door/guard.ts';
import type { ApiKeyRecord } from '../../platform/api-keys/api-keys.ts';
import { formatOwner, toOwner } from '../../platform/api-keys/owner.ts';
import type { WorkOwner } from '../../platform/async/work-owner.ts';
import { AppError, describeForLog } from '../../platform/base/errors.ts';
import type { Context } from '../../platform/context.ts';
import { openSentCsv } from '../csv/file.ts';
import { createSignal, explainFailure, LaneClosedError, WorkerError } from '../engine/pool.ts';
import { guardPace, holdSocketOpen } from '../files/patience.ts';
import type { Sanctions, ScreenedFile } from '../files/screen.ts';
import { notUtf8 } from '../files/upload.ts';
import { MAX_MATCHES } from '../limits.ts';
import type { Catalogue } from '../lists/catalogue/catalogue.ts';
import type { Matcher } from '../match/matcher.ts';
import { readSubject } from '../match/read-subject.ts';
import { writeResult } from '../match/write-result.ts';
import { presentList } from './present-list.ts';
import type { NameSearchView, OwnerView, ScreeningView } from './views.ts';

const text = Type.String({ minLength: 1, maxLength: SUBJECT_TEXT_MAX });
const threshold = Type.Number({ minimum: 0, maximum: 1 });
const dataset = Type.String({ minLength: 1, maxLength: 100 });
const Search = Type.Object({
  schema: Type.Optional(oneOf(SUBJECT_SCHEMAS)),
  name: Type.Optional(text),
  birthDate: Type.Optional(Type.String({ minLength: 1, maxLength: 10 })),
  country: Type.Optional(text),
  identifier: Type.Optional(text),
  dataset: Type.Optional(dataset),
  scoreThreshold: Type.Optional(threshold),
});
/** Personal data is only in the body. */
const FileQuery = Type.Object({
  dataset: Type.Optional(dataset),
  columns: Type.Optional(Type.Literal('extended')),
  scoreThreshold: Type.Optional(Type.String({ pattern: '^(0(\\.\\d{1,6})?|1(\\.0{1,6})?)$' })),
});

interface ScreeningSources {
  matcher: Matcher;
  sanctions: Sanctions;
  catalogue: Catalogue;
  requireDataset: (name: string) => Promise<void>;
  syncHours: number;
}

export function addScreeningConsole(
  { add, addUpload, digest, record }: Console,
  { apiKeys, clock, log }: Context,
  { catalogue, matcher, sanctions, requireDataset, syncHours }: ScreeningSources,
): void {
  add('GET /console/api/screening', {}, async (): Promise<ScreeningView> => {
    const infoOf = new Map(catalogue.lists().map((info) => [info.name, info]));
    const lists = catalogue
      .describe()
      .map((dataset) => presentList(dataset, infoOf.get(dataset.name), syncHours, clock.now()));
    return { lists, owners: presentOwners(await apiKeys.list()) };
  });

  add(
    'POST /console/api/screening/search',
    { body: Search },
    async ({ body, request, reply }): Promise<NameSearchView> => {
      const { dataset: name = 'default', scoreThreshold = SCORE_THRESHOLD_DEFAULT, ...asked } = body;
      const { country, identifier, ...known } = asked;
      const subject = {
        ...known,
        ...(country !== undefined && { countries: [country] }),
        ...(identifier !== undefined && { identifiers: [{ value: identifier }] }),
      };
      const read = readSubject(subject, 'body');
      await record(request, 'screening.search', digest('audit/screening', JSON.stringify(subject)));
      const order = { dataset: name, threshold: scoreThreshold, limit: MAX_MATCHES, subjects: [read] };
      const { version, warning, outcomes } = await matcher
        .match({ ...order, owner: findOperatorAccount(request), signal: createSignal(reply) })
        .catch((error) => explainFailure(error, request.id, log));
      const result = writeResult(outcomes[0]!, undefined);
      return { dataset: name, datasetVersion: version, scoreThreshold, warning: warning ?? null, result };
    },
  );

  addUpload(
    'POST /console/api/screening/file',
    { type: 'text/csv', maxBytes: SCREENING_FILE_MAX_BYTES, query: FileQuery },
    async ({ bytes, query, request, reply }) => {
      if (!isUtf8(bytes)) throw notUtf8();
      const file = await openSentCsv(bytes, { extended: query.columns === 'extended' });
      const { dataset: name = 'default', scoreThreshold: least = SCORE_THRESHOLD_DEFAULT } = query;
      await requireDataset(name);
      await record(request, 'screening.file', digest('audit/file', bytes));
      const signal = createSignal(reply); // Also aborted when the reply is finished.
      signal.addEventListener('abort', holdSocketOpen(request.raw.socket));
      const order = { dataset: name, threshold: Number(least), file, owner: findOperatorAccount(request), signal };
      const lines = reportProgress(
        file.rows,
        (onProgress) => sanctions.screen({ ...order, onProgress }),
        (error) => explain(error, request.id),
        () => reply.raw.destroy(),
      );
      return reply.type('application/x-ndjson; charset=utf-8').send(Readable.from(lines, { objectMode: false }));
    },
  );

  /** Returns the problem of the last line: the status has been sent already. */
  function explain(error: unknown, requestId: string): string {
    if (error instanceof AppError) return error.message;
    if (error instanceof LaneClosedError) return 'The service is stopping; try again in a moment.';
    const failure = error instanceof WorkerError ? error.failure : describeForLog(error);
    log.error({ requestId, ...failure }, 'a file could not be screened');
    return 'The file could not be screened; the log of the service says more.';
  }
}

/** Yields a line for each screened piece, and at last the whole reply. */
async function* reportProgress(
  total: number,
  screen: (onProgress: (rows: number) => void) => Promise<ScreenedFile>,
  explain: (error: unknown) => string,
  giveUp: () => void,
): AsyncGenerator<Uint8Array> {
  const progress = new PassThrough({ objectMode: true });
  const work = screen((rows) => progress.write(rows))
    .then(
      (screened) => ({ screened }),
      (error: unknown) => ({ problem: explain(error) }),
    )
    .finally(() => progress.end());
  try {
    yield line({ total });
    for await (const rows of progress) yield line({ rows });
    const outcome = await work;
    if ('problem' in outcome) yield line(outcome);
    else yield* guardPace(outcome.screened.reply(), giveUp);
  } catch (error) {
    // Ends a line that broke off.
    yield Buffer.from('\n');
    yield line({ problem: explain(error) });
  } finally {
    const outcome = await work;
    if ('screened' in outcome) outcome.screened.close();
  }
}

/** Counts the work for the operator, at any address. */
function findOperatorAccount(request: FastifyRequest): WorkOwner {
  return { id: `operator ${requireOperator(request).operator.id}`, isStranger: false };
}

function line(value: object): Uint8Array {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}

/** Returns each customer that has a key, once, by name. */
function presentOwners(keys: readonly ApiKeyRecord[]): OwnerView[] {
  const owners = new Map(
    keys.map((key) => {
      const { customer, world } = toOwner(key);
      return [formatOwner(toOwner(key)), { customer, world, label: key.customer_id === null ? key.label : null }];
    }),
  );
  const order = ({ customer, label, world }: OwnerView) => `${label ?? customer} ${world}`;
  return [...owners.values()].sort((a, b) => (order(a) < order(b) ? -1 : 1));
}
