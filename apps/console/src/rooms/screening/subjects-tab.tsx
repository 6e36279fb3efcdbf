// Watched subjects, filtered by owner and pending work. Names are hidden until revealed.
import type { OwnerView, SubjectFilters, SubjectRowView } from '@limen/server/console/screening';
import { useRef, useState } from 'preact/hooks';
import { formatFragment, navigate, type ScreeningFilterName, type ScreeningFilters } from '../../address.ts';
import { useShortcuts } from '../../keyboard.ts';
import { screeningApi } from '../../screening-api.ts';
import { TEXTS } from '../../texts.ts';
import { FilterSelect, ListEnd } from '../../ui/lists.tsx';
import { Badge, Code, Time } from '../../ui/parts.tsx';
import { TableHead } from '../../ui/table-head.tsx';
import { useRowKeys } from '../../ui/use-row-keys.ts';
import { usePages } from '../../use-pages.ts';
import { RevealNames } from './reveal-names.tsx';
import { Owner, readWhose, Whose } from './whose.tsx';

const T = TEXTS.screening.subjects;

export interface ListTabProps {
  filters: ScreeningFilters;
  owners: readonly OwnerView[] | undefined;
  mayReveal: boolean;
}

export function SubjectsTab({ filters, owners, mayReveal }: ListTabProps) {
  const search = useRef<HTMLInputElement>(null);
  /** Kept in memory, because the host's reference must not appear in the address. */
  const [reference, setReference] = useState<string>();
  const [isRevealed, setRevealed] = useState(false);
  const key = JSON.stringify([filters, reference, isRevealed]);
  const pages = usePages(key, async (after) => {
    const { state, hits } = filters as SubjectFilters;
    const wanted = { ...readWhose(filters.whose), ...(state && { state }), ...(hits && { hits }) };
    const more = { ...(reference !== undefined && { reference }), ...(after !== undefined && { after }) };
    const { subjects, next } = await screeningApi.subjects({ ...wanted, ...more }, isRevealed);
    return { rows: subjects, next };
  });
  const { rows = [] } = pages;
  const { body, choose: chooseRow } = useRowKeys(rows.length, key);
  useShortcuts({ '/': () => search.current?.focus(), r: pages.reload });

  const choose = (name: ScreeningFilterName) => (value: string) => {
    const { [name]: _, ...remaining } = filters;
    navigate({
      room: 'screening',
      tab: 'subjects',
      filters: value === '' ? remaining : { ...remaining, [name]: value },
    });
  };
  const find = (event: Event) => {
    event.preventDefault();
    const text = search.current?.value.trim() ?? '';
    setReference(text === '' ? undefined : text);
  };
  const isFiltered = Object.keys(filters).length > 0 || reference !== undefined;

  return (
    <>
      <search>
        <form class="filters" onSubmit={find}>
          <label>
            {T.reference}
            <input ref={search} type="search" name="reference" maxLength={255} autocomplete="off" spellcheck={false} />
          </label>
          <Whose owners={owners} value={filters.whose} choose={choose('whose')} />
          <FilterSelect
            label={T.hits}
            value={filters.hits}
            options={Object.entries(T.hitStates)}
            choose={choose('hits')}
          />
          <FilterSelect
            label={T.state}
            value={filters.state}
            options={Object.entries(T.states)}
            choose={choose('state')}
          />
          {mayReveal && <RevealNames isRevealed={isRevealed} onChange={setRevealed} />}
        </form>
      </search>
      {reference !== undefined && <p class="quiet">{T.searching(reference)}</p>}
      {rows.length > 0 && (
        <table class="list">
          <TableHead texts={T.columns} kinds={{ whose: 'roomy', state: 'roomy' }} />
          <tbody ref={body}>
            {rows.map((row, at) => (
              <Row key={row.id} row={row} owners={owners} onFocus={() => chooseRow(at)} />
            ))}
          </tbody>
        </table>
      )}
      <ListEnd
        pages={pages}
        empty={isFiltered ? T.empty : T.emptyAll}
        clear={() => navigate({ room: 'screening', tab: 'subjects', filters: {} })}
      />
    </>
  );
}

function Row({ row, owners, onFocus }: { row: SubjectRowView; owners: ListTabProps['owners']; onFocus: () => void }) {
  return (
    <tr>
      <th scope="row">
        <a class="row-link" href={formatFragment({ room: 'subject', id: row.id })} onFocus={onFocus}>
          <Time at={row.createdAt} />
        </a>
      </th>
      <td class="clip">
        {row.who ? (
          <>
            <bdi>{row.who.name}</bdi> <bdi class="quiet small-text">{row.who.reference}</bdi>
          </>
        ) : (
          <Code class="quiet">{row.id.slice(-8)}</Code>
        )}
      </td>
      <td class="roomy clip">
        <Owner customer={row.customer} world={row.world} owners={owners} />
      </td>
      <td class="roomy">{T.states[row.state]}</td>
      <td>
        <HitState row={row} />
      </td>
    </tr>
  );
}

const TONES = { open: 'warn', decided: 'good', none: 'quiet' } as const;

function HitState({ row: { hits, hitCount, moreHits } }: { row: SubjectRowView }) {
  return (
    <>
      {hits !== 'none' && `${hitCount}${moreHits ? '+' : ''} `}
      <Badge tone={TONES[hits]}>{T.hitStates[hits]}</Badge>
    </>
  );
}
