// Alerts about watched subjects.
import type { AlertFilters, AlertRowView } from '@limen/server/console/screening';
import { useState } from 'preact/hooks';
import { formatFragment, navigate, type ScreeningFilterName } from '../../address.ts';
import { useShortcuts } from '../../keyboard.ts';
import { screeningApi } from '../../screening-api.ts';
import { TEXTS } from '../../texts.ts';
import { FilterSelect, ListEnd } from '../../ui/lists.tsx';
import { Badge, Code, Time } from '../../ui/parts.tsx';
import { TableHead } from '../../ui/table-head.tsx';
import { useRowKeys } from '../../ui/use-row-keys.ts';
import { usePages } from '../../use-pages.ts';
import { ScoreBadge } from './match-card.tsx';
import { RevealNames } from './reveal-names.tsx';
import type { ListTabProps } from './subjects-tab.tsx';
import { Owner, readWhose, Whose } from './whose.tsx';

const T = TEXTS.screening.alerts;
const { kinds: KINDS } = TEXTS.screening.subject;
const TOLD = ['new', 'changed', 'removed'] as const;

export function AlertsTab({ filters, owners, mayReveal }: ListTabProps) {
  const [isRevealed, setRevealed] = useState(false);
  const key = JSON.stringify([filters, isRevealed]);
  const pages = usePages(key, async (after) => {
    const { kind } = filters as AlertFilters;
    const wanted = { ...readWhose(filters.whose), ...(kind && { kind }), ...(after !== undefined && { after }) };
    const { alerts, next } = await screeningApi.alerts(wanted, isRevealed);
    return { rows: alerts, next };
  });
  const { rows = [] } = pages;
  const { body, choose: chooseRow } = useRowKeys(rows.length, key);
  useShortcuts({ r: pages.reload });
  const choose = (name: ScreeningFilterName) => (value: string) => {
    const { [name]: _, ...remaining } = filters;
    navigate({ room: 'screening', tab: 'alerts', filters: value === '' ? remaining : { ...remaining, [name]: value } });
  };
  return (
    <>
      <p class="quiet">{T.lead}</p>
      <div class="filters">
        <Whose owners={owners} value={filters.whose} choose={choose('whose')} />
        <FilterSelect
          label={T.kind}
          value={filters.kind}
          options={TOLD.map((kind) => [kind, KINDS[kind]])}
          choose={choose('kind')}
        />
        {mayReveal && <RevealNames isRevealed={isRevealed} onChange={setRevealed} />}
      </div>
      {rows.length > 0 && (
        <table class="list">
          <TableHead texts={T.columns} kinds={{ list: 'roomy', whose: 'roomy' }} />
          <tbody ref={body}>
            {rows.map((row, at) => (
              <Row key={row.id} row={row} owners={owners} onFocus={() => chooseRow(at)} />
            ))}
          </tbody>
        </table>
      )}
      <ListEnd
        pages={pages}
        empty={T.empty}
        clear={() => navigate({ room: 'screening', tab: 'alerts', filters: {} })}
      />
    </>
  );
}

const TONES = { new: 'warn', changed: 'accent', removed: 'quiet' } as const;

function Row({ row, owners, onFocus }: { row: AlertRowView; owners: ListTabProps['owners']; onFocus: () => void }) {
  const kind = row.kind as keyof typeof TONES;
  return (
    <tr>
      <th scope="row">
        <a class="row-link" href={formatFragment({ room: 'subject', id: row.subjectId })} onFocus={onFocus}>
          <Time at={row.at} />
        </a>
      </th>
      <td>
        <Badge tone={TONES[kind]}>{KINDS[kind]}</Badge>
      </td>
      <td class="clip">
        {row.who ? (
          <bdi>{T.about(row.who.reference, row.who.listed)}</bdi>
        ) : (
          <Code class="quiet">{row.subjectId.slice(-8)}</Code>
        )}
      </td>
      <td class="roomy clip">{row.list}</td>
      <td class="roomy clip">
        <Owner customer={row.customer} world={row.world} owners={owners} />
      </td>
      <td>{row.score !== null && <ScoreBadge score={row.score} />}</td>
    </tr>
  );
}
