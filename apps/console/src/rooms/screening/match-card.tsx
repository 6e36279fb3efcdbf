// Compares a listed entity with the known data. All of its texts are untrusted.
import type { SubjectMatch } from '@limen/server/console/screening';
import type { ComponentChildren } from 'preact';
import { formatCode } from '../../format.ts';
import { TEXTS } from '../../texts.ts';
import { Facts } from '../../ui/lists.tsx';
import { Badge } from '../../ui/parts.tsx';
import { TableHead } from '../../ui/table-head.tsx';

const T = TEXTS.screening.match;

/** Score bands: review from 0.85, block from 0.95. */
export function ScoreBadge({ score }: { score: number }) {
  return <Badge tone={score >= 0.95 ? 'bad' : score >= 0.85 ? 'warn' : 'quiet'}>{score.toFixed(2)}</Badge>;
}

export function MatchCard({ match, children }: { match: SubjectMatch; children?: ComponentChildren }) {
  return (
    <article class="match">
      <h3>
        <bdi>{match.caption}</bdi> <ScoreBadge score={match.score} />{' '}
        <span class="quiet small-text">
          {match.schema}
          {match.topics.length > 0 && `, ${match.topics.map(formatCode).join(', ')}`}
        </span>
      </h3>
      <Explanation match={match} />
      <details>
        <summary>{T.listed}</summary>
        <Facts facts={listingOf(match)} />
      </details>
      {children}
    </article>
  );
}

export function Explanation({ match: { explanation } }: { match: Pick<SubjectMatch, 'explanation'> }) {
  return (
    <div class="comparison">
      <table class="compared">
        <caption class="hidden">{T.why}</caption>
        <TableHead texts={T.columns} />
        <tbody>
          {Object.entries(explanation).map(([feature, { detail, query, candidate }]) => (
            <tr key={feature}>
              <th scope="row">{T.features[feature] ?? feature}</th>
              <td data-label={T.columns.query}>
                <bdi>{query}</bdi>
              </td>
              <td data-label={T.columns.candidate}>
                <bdi>{candidate}</bdi>
              </td>
              <td data-label={T.columns.detail}>{detail}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function listingOf(match: SubjectMatch): [string, ComponentChildren][] {
  const { aliases, birthDate, countries, nationalities, identifiers, addresses, positions, programs, datasets } = match;
  const values: Record<keyof typeof T.fields, readonly string[]> = {
    aliases,
    birthDate,
    countries,
    nationalities,
    identifiers: identifiers.map(({ kind, value }) => `${kind} ${value}`),
    addresses,
    positions,
    programs,
    datasets,
    lastChange: match.lastChange === null ? [] : [match.lastChange],
    id: [match.id],
  };
  return (Object.keys(values) as (keyof typeof T.fields)[])
    .filter((field) => values[field].length > 0)
    .map((field) => [
      T.fields[field],
      values[field].map((value, at) => (
        <bdi key={value} class="value">
          {value}
          {at < values[field].length - 1 && '; '}
        </bdi>
      )),
    ]);
}
