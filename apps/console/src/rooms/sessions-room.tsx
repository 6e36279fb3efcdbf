// List of sessions: filtered by the address, polled, keyboard navigation.
import type { FilterChoices, SessionPageView, SessionRowView } from '@limen/server/console/sessions';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type AddressFilters, buildSessionSearch, type FilterName, formatFragment, navigate } from '../address.ts';
import { api } from '../api.ts';
import { formatCode } from '../format.ts';
import { useShortcuts } from '../keyboard.ts';
import { takeNotice } from '../notice.ts';
import { TEXTS } from '../texts.ts';
import { MoreButton } from '../ui/lists.tsx';
import { Badge, Code, DoneNotice, Problem, RecommendationBadge, Time, useAction, WorldBadge } from '../ui/parts.tsx';
import { TableHead } from '../ui/table-head.tsx';
import { useRowKeys } from '../ui/use-row-keys.ts';
import { useLoad, usePolling } from '../use-load.ts';
import { hasVerdict } from './has-verdict.ts';
import { useHeading } from './use-heading.ts';

const LIVE_MS = 4_000;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** Session id, whole or in part. A transaction id may look the same. */
const PREFIX = /^[0-9a-f]{6,8}(?:-[0-9a-f-]*)?$/i;
const STATES = ['created', 'opened', 'capturing', 'completed', 'cancelled', 'expired'];
const KINDS = ['age', 'verification'];
const RECOMMENDATIONS = ['ALLOW', 'REVIEW', 'BLOCK'];

export function SessionsRoom({ filters }: { filters: AddressFilters }) {
  const heading = useHeading(TEXTS.sessions.heading);
  const search = useRef<HTMLInputElement>(null);
  /** Kept in memory, because the host's id must not appear in the address. */
  const [transactionId, setTransactionId] = useState<string>();
  const [notice] = useState(() => takeNotice('sessions'));
  const choices = useLoad('choices', api.choices);
  const { list, showMore } = useLiveSessions(filters, transactionId);
  const [isBusy, problem, run] = useAction();
  /** On narrow screens, filters open on request. */
  const [isOpen, setOpen] = useState(false);

  const { value: page } = list;
  const rows = page?.sessions ?? [];
  const { body, choose: chooseRow } = useRowKeys(rows.length, JSON.stringify([filters, transactionId]));

  useShortcuts({ '/': () => search.current?.focus(), r: list.reload });

  const choose = (name: FilterName, value: string) => {
    const { [name]: _, ...remaining } = filters;
    navigate({ room: 'sessions', filters: value === '' ? remaining : { ...remaining, [name]: value } });
  };
  const find = (event: Event) => {
    event.preventDefault();
    const text = search.current?.value.trim() ?? '';
    if (UUID.test(text)) return navigate({ room: 'session', id: text.toLowerCase() });
    if (PREFIX.test(text)) return run(() => findShort(text));
    setTransactionId(text === '' ? undefined : text);
  };
  const findShort = async (text: string) => {
    const id = text.toLowerCase();
    const [first, ...more] = (await api.search({ id })).sessions ?? [];
    if (!first) return setTransactionId(text);
    navigate(more.length === 0 ? { room: 'session', id: first.id } : { room: 'sessions', filters: { id } });
  };
  const clear = () => {
    if (search.current) search.current.value = '';
    setTransactionId(undefined);
    navigate({ room: 'sessions', filters: {} });
  };
  const isFiltered = Object.keys(filters).length > 0 || transactionId !== undefined;

  return (
    <>
      <div class="row spread">
        <h1 ref={heading} tabIndex={-1}>
          {TEXTS.sessions.heading}
        </h1>
        <p class="live quiet">{TEXTS.sessions.live}</p>
      </div>
      {notice !== undefined && <DoneNotice>{notice}</DoneNotice>}
      <search>
        <form class="filters" onSubmit={find}>
          <label class="wide">
            {TEXTS.sessions.search}
            <input ref={search} type="search" name="id" maxLength={1000} autocomplete="off" spellcheck={false} />
          </label>
          <button type="button" class="narrow" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {TEXTS.sessions.filter(Object.keys(filters).length)}
          </button>
          <div class="fields" data-open={isOpen}>
            <Filters filters={filters} choices={choices.value} choose={choose} />
          </div>
          {isFiltered && !list.problem && (
            <button type="button" onClick={clear}>
              {TEXTS.sessions.clear}
            </button>
          )}
        </form>
      </search>
      {filters.id !== undefined && <p class="quiet">{TEXTS.sessions.beginning(filters.id)}</p>}
      {transactionId !== undefined && <p class="quiet">{TEXTS.sessions.searching(transactionId)}</p>}
      {list.problem && <Problem error={list.problem} retry={list.reload} clear={clear} />}
      {page && rows.length === 0 && <p class="empty">{isFiltered ? TEXTS.sessions.empty : TEXTS.sessions.emptyAll}</p>}
      {rows.length > 0 && (
        <table class="list">
          <TableHead texts={TEXTS.sessions.columns} kinds={{ state: 'roomy', key: 'roomy', id: 'roomy' }} />
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

/** Loads the filtered sessions and refreshes the first page. */
function useLiveSessions(filters: AddressFilters, transactionId: string | undefined) {
  const wanted = () => ({
    ...buildSessionSearch(filters, Date.now()),
    ...(transactionId !== undefined && { transactionId }),
  });
  const list = useLoad(JSON.stringify([filters, transactionId]), () => api.search(wanted()));
  const { value: page } = list;
  /** Pages loaded by hand are not refreshed, so that rows do not move under the reader. */
  const [isLonger, setLonger] = useState(false);
  useEffect(() => {
    setLonger(false);
  }, [JSON.stringify(filters), transactionId]);
  usePolling(LIVE_MS, () => {
    // A search is audited each time, so it is not polled.
    if (!page || isLonger || transactionId !== undefined) return;
    api.search(wanted(), { version: page.version }).then(
      (next) => next.sessions && list.set(next),
      () => {}, // the next poll retries; a manual search shows its error
    );
  });

  const showMore = async () => {
    const more = await api.search(wanted(), { after: page!.next! });
    setLonger(true);
    list.set(joinPages(page!, more));
  };
  return { list, showMore };
}

function joinPages(page: SessionPageView, more: SessionPageView): SessionPageView {
  const { next: _, ...rest } = page;
  const sessions = [...(page.sessions ?? []), ...(more.sessions ?? [])];
  return { ...rest, sessions, ...(more.next !== undefined && { next: more.next }) };
}

function Row({ row, onFocus }: { row: SessionRowView; onFocus: () => void }) {
  return (
    <tr>
      <th scope="row">
        <a class="row-link" href={formatFragment({ room: 'session', id: row.id })} onFocus={onFocus}>
          <Time at={row.createdAt} />
        </a>
      </th>
      <td>
        {row.operation === null ? row.kind : formatCode(row.operation)}{' '}
        {row.world === 'test' && <WorldBadge world="test" />}
      </td>
      <td class="roomy">{row.state}</td>
      <td>
        {row.isUnreadable && <Badge tone="bad">{TEXTS.sessions.unreadable}</Badge>}
        {hasVerdict(row) && <RecommendationBadge value={row.risk.recommendation} />}{' '}
        {row.outcome === null ? (
          <span class="quiet">{row.endedAt === null ? row.state : TEXTS.none}</span>
        ) : (
          <span class="outcome">{formatCode(row.outcome)}</span>
        )}
      </td>
      <td class="roomy clip">{row.key.label ?? TEXTS.keys.unlabelled}</td>
      <td class="roomy">
        <Code>{row.id.slice(0, 8)}</Code>
      </td>
    </tr>
  );
}

interface FiltersProps {
  filters: AddressFilters;
  choices: FilterChoices | undefined;
  choose: (name: FilterName, value: string) => void;
}

function Filters({ filters, choices, choose }: FiltersProps) {
  const plain = (values: readonly string[]) => values.map((value) => [value, formatCode(value)] as const);
  const keys = (choices?.keys ?? []).map(({ id, label }) => [id, label ?? id.slice(0, 8)] as const);
  const fields: [Exclude<FilterName, 'id'>, readonly (readonly [string, string])[]][] = [
    ['recommendation', plain(RECOMMENDATIONS)],
    ['kind', plain(KINDS)],
    ['state', plain(STATES)],
    ['outcome', plain(choices?.outcomes ?? [])],
    ['flag', plain(choices?.flags ?? [])],
    ['key', keys],
    ['world', plain(['live', 'test'])],
    ['since', Object.entries(TEXTS.sessions.since)],
  ];
  return (
    <>
      {fields.map(([name, options]) => (
        <label key={name}>
          {TEXTS.sessions.filters[name]}
          <select value={filters[name] ?? ''} onChange={(event) => choose(name, event.currentTarget.value)}>
            <option value="">{TEXTS.all}</option>
            {options.map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </label>
      ))}
    </>
  );
}
