// Review queue: earliest deadline first, filtered by the address, polled, keyboard navigation.
import type { CaseFilters, CaseRowView } from '@limen/server/console/review';
import { useEffect } from 'preact/hooks';
import { formatFragment, navigate, type ReviewFilterName, type ReviewFilters } from '../../address.ts';
import { formatCode } from '../../format.ts';
import { useShortcuts } from '../../keyboard.ts';
import { reviewApi } from '../../review-api.ts';
import { TEXTS } from '../../texts.ts';
import { FilterSelect, MoreButton, type Option } from '../../ui/lists.tsx';
import { Badge, Problem, Time, useAction, WorldBadge } from '../../ui/parts.tsx';
import { TableHead } from '../../ui/table-head.tsx';
import { useRowKeys } from '../../ui/use-row-keys.ts';
import { useLoad, usePolling } from '../../use-load.ts';
import { useHeading } from '../use-heading.ts';
import { AboutCase, Verdict } from './case-parts.tsx';
import { rememberOrder } from './queue-order.ts';

const LIVE_MS = 4_000;
const T = TEXTS.review;
const entriesOf = (texts: object): Option[] => Object.entries(texts) as Option[];
const FIELDS: readonly [ReviewFilterName, readonly Option[]][] = [
  ['state', entriesOf(T.states)],
  ['kind', entriesOf(T.kinds)],
  ['assignee', entriesOf(T.assignees)],
  ['overdue', entriesOf(T.overdue)],
  ['world', ['live', 'test'].map((world) => [world, world])],
];

export function ReviewRoom({ filters }: { filters: ReviewFilters }) {
  const heading = useHeading(T.heading);
  const key = JSON.stringify(filters);
  const wanted = () => toSearch(filters);
  const list = useLoad(key, async () => ({ ...(await reviewApi.search(wanted())), isLonger: false }));
  const { value: page } = list;
  const rows = page?.cases ?? [];
  const { body, choose: chooseRow } = useRowKeys(rows.length, key);
  const [isBusy, problem, run] = useAction();
  useShortcuts({ r: list.reload });
  useEffect(() => rememberOrder(rows.map(({ id }) => id)), [rows]);
  usePolling(LIVE_MS, () => {
    // Pages loaded by hand are not refreshed, so that rows do not move under the reader.
    if (!page || page.isLonger) return;
    reviewApi.search(wanted(), { version: page.version }).then(
      (next) => next.cases && list.set({ ...next, isLonger: false }),
      () => {}, // the next poll or manual refresh shows the error
    );
  });

  const choose = (name: ReviewFilterName) => (value: string) => {
    const { [name]: _, ...remaining } = filters;
    navigate({ room: 'review', filters: value === '' ? remaining : { ...remaining, [name]: value } });
  };
  const showMore = async () => {
    const { next: _, ...before } = page!;
    const more = await reviewApi.search(wanted(), { after: page!.next! });
    const cases = [...rows, ...(more.cases ?? [])];
    list.set({ ...before, cases, isLonger: true, ...(more.next !== undefined && { next: more.next }) });
  };
  const isFiltered = Object.keys(filters).length > 0;

  return (
    <>
      <div class="row spread">
        <h1 ref={heading} tabIndex={-1}>
          {T.heading}
        </h1>
        <p class="live quiet">{TEXTS.sessions.live}</p>
      </div>
      {page && (
        <p class="quiet" role="status">
          {T.lead(page.counts)}
        </p>
      )}
      <search class="filters">
        {FIELDS.map(([name, options]) => (
          <FilterSelect
            key={name}
            label={T.filters[name]}
            value={filters[name]}
            options={options}
            choose={choose(name)}
            {...(name === 'state' && { all: T.waiting })}
          />
        ))}
      </search>
      {list.problem && (
        <Problem error={list.problem} retry={list.reload} clear={() => navigate({ room: 'review', filters: {} })} />
      )}
      {page && rows.length === 0 && <p class="empty">{isFiltered ? T.emptyFiltered : T.empty}</p>}
      {rows.length > 0 && (
        <table class="list">
          <TableHead texts={T.columns} kinds={{ assignee: 'roomy' }} />
          <tbody ref={body}>
            {rows.map((row, at) => (
              <Row key={row.id} row={row} onFocus={() => chooseRow(at)} />
            ))}
          </tbody>
        </table>
      )}
      {page?.next !== undefined && <MoreButton isBusy={isBusy} onPress={() => run(showMore)} />}
      {problem && <Problem error={problem} />}
    </>
  );
}

function toSearch({ overdue, ...filters }: ReviewFilters): CaseFilters {
  return { ...(filters as CaseFilters), ...(overdue === 'true' && { overdue: true }) };
}

/** Formats the flags, or the outcome if it needs review by itself. */
function formatReviewReason({ flags, outcome }: NonNullable<CaseRowView['session']>): string {
  return flags.length > 0 ? flags.map(formatCode).join(', ') : T.byOutcome(formatCode(outcome));
}

function Row({ row, onFocus }: { row: CaseRowView; onFocus: () => void }) {
  return (
    <tr>
      <th scope="row">
        <a class="row-link" href={formatFragment({ room: 'case', id: row.id })} onFocus={onFocus}>
          <Time at={row.dueAt} />
        </a>{' '}
        {row.isOverdue && <Badge tone="bad">{T.late}</Badge>}
      </th>
      <td>
        <AboutCase row={row} /> {row.world === 'test' && <WorldBadge world="test" />}
      </td>
      <td>
        {row.isUnreadable && <Badge tone="bad">{T.unreadable}</Badge>}
        {row.verdict !== null && <Verdict verdict={row.verdict} />}
        {row.state === 'proposed' && <Badge tone="accent">{T.states.proposed}</Badge>}{' '}
        {row.session && <span class="quiet">{formatReviewReason(row.session)}</span>}
        {row.hit && <span class="quiet">{row.hit.list}</span>}
      </td>
      <td class="roomy clip">
        {row.assignee ? row.assignee.isMe ? T.me : row.assignee.name : <span class="quiet">{T.nobody}</span>}
      </td>
    </tr>
  );
}
