// The matched rows of a file, on the page and as CSV.
import { csvCell } from '@limen/contract/csv';
import type { ScreeningReply } from '@limen/server/console/screening';
import { ScoreBadge } from './match-card.tsx';

type MatchedRecord = ScreeningReply['summary']['matched']['records'][number];

const COLUMNS = ['id', 'name', 'dob', 'score', 'listed_id', 'listed_name', 'listed_score', 'lists', 'topics', 'why'];

export function MatchCells({ record }: { record: MatchedRecord }) {
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

export function matchesAsCsv({ summary }: ScreeningReply): string {
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
