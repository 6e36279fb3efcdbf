// Undelivered webhooks of every customer: reason, next attempt, and resending.
import type { Permission } from '@limen/server/console';
import type { WebhookFilters, WebhookPageView, WebhookRowView } from '@limen/server/console/sessions';
import { useEffect, useState } from 'preact/hooks';
import { formatFragment, navigate, type WebhookAddressFilters, type WebhookFilterName } from '../../address.ts';
import { api } from '../../api.ts';
import { formatCode, formatShortTime } from '../../format.ts';
import { useShortcuts } from '../../keyboard.ts';
import { TEXTS } from '../../texts.ts';
import { FilterSelect, ListEnd, type Option } from '../../ui/lists.tsx';
import { Badge, DoneNotice, Time, WorkButton, WorldBadge } from '../../ui/parts.tsx';
import { TableHead } from '../../ui/table-head.tsx';
import { useLoad } from '../../use-load.ts';
import { usePages } from '../../use-pages.ts';
import { useHeading } from '../use-heading.ts';
import { ResendAll } from './resend-all.tsx';
import type { ResendTotals } from './resend-matching.ts';

const T = TEXTS.webhooks;
const TONES = { waiting: 'quiet', retrying: 'warn', dead: 'bad', delivered: 'good' } as const;
const listOptions = (texts: object): Option[] => Object.entries(texts) as Option[];
/** Maximum webhooks per call that the service accepts. */
const MAX_SELECTED = 50;

interface WebhooksRoomProps {
  filters: WebhookAddressFilters;
  permissions: readonly Permission[];
}

export function WebhooksRoom({ filters, permissions }: WebhooksRoomProps) {
  const heading = useHeading(T.heading);
  const key = JSON.stringify(filters);
  const wanted = filters as WebhookFilters;
  const [counts, setCounts] = useState<WebhookPageView['counts']>();
  const pages = usePages(key, async (after) => {
    const page = await api.webhooks(wanted, after);
    setCounts(page.counts);
    return { rows: page.webhooks, next: page.next };
  });
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [done, setDone] = useState<ResendTotals>();
  const [isAsking, setAsking] = useState(false);
  const mayResend = permissions.includes('deliveries.resend');
  const rows = pages.rows ?? [];
  const able = rows.filter(({ canResend }) => canResend);
  useEffect(() => {
    setSelected(new Set());
    setDone(undefined);
  }, [key]);
  useShortcuts({ r: pages.reload });

  const clear = () => navigate({ room: 'webhooks', filters: {} });
  const select = (id: string, isOn: boolean) => {
    const next = new Set(selected);
    if (isOn) next.add(id);
    else next.delete(id);
    setSelected(next);
  };
  const finish = (totals: ResendTotals) => {
    setSelected(new Set());
    setDone(totals);
    setAsking(false);
    pages.reload();
  };
  const resendSelected = async () => {
    const { resent, gone } = await api.resend([...selected].slice(0, MAX_SELECTED));
    finish({ resent: resent.length, gone: gone.length, isCut: selected.size > MAX_SELECTED });
  };
  const isFiltered = Object.keys(filters).length > 0;

  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        {T.heading}
      </h1>
      <p class="quiet">{T.lead}</p>
      <DeliveryFilters filters={filters} />
      {counts && (
        <p class="quiet" role="status">
          {T.counts(counts)}
        </p>
      )}
      {done && <DoneNotice>{T.result(done)}</DoneNotice>}
      {mayResend && able.length > 0 && (
        <div class="row">
          <WorkButton work={resendSelected} isOff={selected.size === 0}>
            {T.resendSelected(selected.size)}
          </WorkButton>
          {filters.stage !== 'delivered' && (
            <button type="button" onClick={() => setAsking(true)}>
              {T.resendAll}
            </button>
          )}
        </div>
      )}
      {rows.length > 0 && (
        <table class="list stacked">
          <TableHead texts={T.columns} kinds={{ select: 'unseen', next: 'roomy', key: 'roomy' }} />
          <tbody>
            {rows.map((row) => (
              <Row
                key={row.id}
                row={row}
                select={mayResend ? (isOn) => select(row.id, isOn) : undefined}
                isSelected={selected.has(row.id)}
              />
            ))}
          </tbody>
        </table>
      )}
      {mayResend && able.length > 1 && (
        <label class="check">
          <input
            type="checkbox"
            checked={able.every(({ id }) => selected.has(id))}
            onChange={(event) => setSelected(new Set(event.currentTarget.checked ? able.map(({ id }) => id) : []))}
          />
          {T.selectAll}
        </label>
      )}
      <ListEnd pages={pages} empty={isFiltered ? T.emptyFiltered : T.empty} clear={isFiltered ? clear : undefined} />
      {isAsking && <ResendAll filters={wanted} onDone={finish} onClose={() => setAsking(false)} />}
    </>
  );
}

function DeliveryFilters({ filters }: { filters: WebhookAddressFilters }) {
  const choices = useLoad('choices', api.choices);
  const keys = (choices.value?.keys ?? []).map(({ id, label }): Option => [id, label ?? id.slice(0, 8)]);
  const choose = (name: WebhookFilterName) => (value: string) => {
    const { [name]: _, ...remaining } = filters;
    navigate({ room: 'webhooks', filters: value === '' ? remaining : { ...remaining, [name]: value } });
  };
  return (
    <search class="filters">
      <FilterSelect
        label={T.filters.stage}
        value={filters.stage}
        all={T.failing}
        options={listOptions(T.stages)}
        choose={choose('stage')}
      />
      <FilterSelect
        label={T.filters.since}
        value={filters.since}
        all={T.anyTime}
        options={listOptions(T.since)}
        choose={choose('since')}
      />
      <FilterSelect
        label={T.filters.world}
        value={filters.world}
        options={[
          ['live', 'live'],
          ['test', 'test'],
        ]}
        choose={choose('world')}
      />
      <FilterSelect label={T.filters.key} value={filters.key} options={keys} choose={choose('key')} />
    </search>
  );
}

interface DeliveryRowProps {
  row: WebhookRowView;
  /** Undefined if the operator may not resend. */
  select: ((isOn: boolean) => void) | undefined;
  isSelected: boolean;
}

function Row({ row, select, isSelected }: DeliveryRowProps) {
  const { stage, url, attempts, createdAt, nextAttemptAt, key, world, about, canResend } = row;
  const created = Date.parse(createdAt);
  const details = [...(attempts > 0 ? [T.attempts(attempts)] : []), ...(canResend ? [] : [T.noBody])];
  return (
    <tr>
      <td class="tick">
        {select && canResend && (
          <input
            type="checkbox"
            aria-label={T.selectOne(formatShortTime(created), url)}
            checked={isSelected}
            onChange={(event) => select(event.currentTarget.checked)}
          />
        )}
      </td>
      <th scope="row" data-label={T.columns.created}>
        <Time at={created} />
      </th>
      <td data-label={T.columns.stage}>
        <Badge tone={TONES[stage]}>{T.badges[stage]}</Badge>
      </td>
      <td class="clip" data-label={T.columns.target} title={url}>
        <span dir="ltr">{url}</span>
      </td>
      <td data-label={T.columns.reason}>
        {formatFailure(row)}
        {details.length > 0 && <p class="quiet small-text">{details.join(', ')}</p>}
      </td>
      <td class="roomy" data-label={T.columns.next}>
        {nextAttemptAt === undefined ? TEXTS.none : <Time at={Date.parse(nextAttemptAt)} />}
      </td>
      <td class="roomy" data-label={T.columns.key}>
        <bdi>{key.label ?? TEXTS.keys.unlabelled}</bdi> {world === 'test' && <WorldBadge world="test" />}
      </td>
      <td data-label={T.columns.about}>
        {about ? (
          <a href={formatFragment({ room: about.place, id: about.id })}>{T.about[about.place]}</a>
        ) : (
          <span class="quiet">{T.aboutGone}</span>
        )}
      </td>
    </tr>
  );
}

/** The receiver's status, or the error that prevented one. */
function formatFailure({ stage, lastStatus, lastError }: WebhookRowView): string {
  if (lastError !== undefined && T.errors[lastError] !== undefined) return T.errors[lastError];
  if (lastStatus !== undefined) return T.status(lastStatus);
  if (lastError !== undefined) return formatCode(lastError);
  return stage === 'waiting' ? T.untried : TEXTS.none;
}
