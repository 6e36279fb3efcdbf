// Screens an uploaded file of people, shows progress and offers the result as a download.

import { csvCell } from '@limen/contract/csv';
import type { ListView, ScreeningReply } from '@limen/server/console/screening';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type ScreenedFile, screenFile } from '../../screening-api.ts';
import { TEXTS } from '../../texts.ts';
import { DownloadButton } from '../../ui/download.tsx';
import { Problem, useAction } from '../../ui/parts.tsx';
import { TableHead } from '../../ui/table-head.tsx';
import { Against } from './against.tsx';
import { ScoreBadge } from './match-card.tsx';
import { findOptionalColumns } from './optional-columns.ts';

const T = TEXTS.screening.file;
const MOST_SHOWN = 100;

export function FileTab({ lists }: { lists: readonly ListView[] | undefined }) {
  const [progress, setProgress] = useState<{ rows: number; total: number }>();
  const [optional, setOptional] = useState<readonly string[]>([]);
  const [screened, setScreened] = useState<ScreenedFile>();
  const [isBusy, problem, run] = useAction();
  const under = useRef<AbortController>(undefined);
  useEffect(() => () => under.current?.abort(), []);

  const start = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    run(async () => {
      under.current = new AbortController();
      setScreened(undefined);
      setProgress({ rows: 0, total: 0 });
      const order = {
        file: form.get('file') as File,
        dataset: String(form.get('dataset')),
        scoreThreshold: String(form.get('scoreThreshold')),
        extended: form.get('extended') !== null,
        onProgress: (rows: number, total: number) => setProgress({ rows, total }),
        signal: under.current.signal,
      };
      try {
        setScreened(await screenFile(order));
      } finally {
        setProgress(undefined);
      }
    });
  };

  return (
    <>
      <p class="quiet lead">{T.lead}</p>
      <form class="filters" onSubmit={start}>
        <label class="wide">
          {T.choose}
          <input
            type="file"
            name="file"
            accept=".csv,text/csv"
            required
            onChange={({ currentTarget: { files } }) =>
              void findOptionalColumns(files?.[0] ?? new Blob()).then(setOptional)
            }
          />
        </label>
        {optional.length > 0 && (
          <label class="check">
            <input type="checkbox" name="extended" />
            {T.extended(optional)}
          </label>
        )}
        <Against lists={lists} />
        <button type="submit" class="primary" disabled={isBusy}>
          {T.button}
        </button>
      </form>
      {problem && <Problem error={problem} />}
      {progress && (
        <label class="progress">
          {T.progress(progress.rows, progress.total)}
          <progress value={progress.rows} max={progress.total || 1} />
        </label>
      )}
      <div aria-live="polite">{screened && <Result {...screened} />}</div>
    </>
  );
}

function Result({ reply, text }: { reply: ScreeningReply; text: string }) {
  const { total, matched, warnings = [] } = reply.summary;
  const shown = matched.records.slice(0, MOST_SHOWN);
  return (
    <>
      <div class="row spread">
        <h2 class="found">{T.done(matched.count, total)}</h2>
        <div class="row">
          <DownloadButton name="screening.json" type="application/json" text={text} label={T.json} />
          {matched.count > 0 && (
            <DownloadButton name="screening.csv" type="text/csv" text={matchesAsCsv(reply)} label={T.csv} />
          )}
        </div>
      </div>
      <p class="quiet small-text">{T.gone}</p>
      {warnings.map((warning) => (
        <p key={warning} class="notice">
          {warning}
        </p>
      ))}
      {shown.length > 0 && (
        <table class="list">
          <TableHead texts={T.columns} kinds={{ id: 'roomy', dob: 'roomy' }} />
          <tbody>
            {shown.map((record, at) => (
              <tr key={`${at} ${record.id}`}>
                <MatchCells record={record} />
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {matched.count > shown.length && <p class="quiet">{T.first(shown.length)}</p>}
    </>
  );
}

type MatchedRecord = ScreeningReply['summary']['matched']['records'][number];

const COLUMNS = ['id', 'name', 'dob', 'score', 'listed_id', 'listed_name', 'listed_score', 'lists', 'topics', 'why'];

function MatchCells({ record }: { record: MatchedRecord }) {
  const [best] = record.matches;
  return (
    <>
      <td class="roomy clip">{record.id}</td>
      <th scope="row">
        <bdi>{nameOf(record)}</bdi>
      </th>
      <td class="roomy">{record.dob}</td>
      <td>
        <bdi>{best?.caption}</bdi>
        <p class="quiet small-text">{best?.explanation.name}</p>
      </td>
      <td>
        <ScoreBadge score={record.score} />
      </td>
    </>
  );
}

function matchesAsCsv({ summary }: ScreeningReply): string {
  const lines = summary.matched.records.flatMap((record) =>
    record.matches.map((match) =>
      [
        record.id,
        nameOf(record),
        record.dob,
        record.score,
        match.id,
        match.caption,
        match.score,
        match.datasets.join(' '),
        match.topics.join(' '),
        match.explanation.name,
      ].map(csvCell),
    ),
  );
  return [COLUMNS, ...lines].map((cells) => `${cells.join(',')}\r\n`).join('');
}

function nameOf({ name, firstname, lastname }: MatchedRecord): string {
  return name ?? [firstname, lastname].filter(Boolean).join(' ');
}
