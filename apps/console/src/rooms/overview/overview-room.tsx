// Activity figures. The address selects days, keys and world.
import type { OverviewView } from '@limen/server/console/operations';
import {
  formatFragment,
  navigate,
  type OverviewFilterName,
  type OverviewFilters,
  type WebhookAddressFilters,
} from '../../address.ts';
import { api } from '../../api.ts';
import { formatCode } from '../../format.ts';
import { useShortcuts } from '../../keyboard.ts';
import { TEXTS } from '../../texts.ts';
import { FilterSelect, type Option } from '../../ui/lists.tsx';
import { Problem } from '../../ui/parts.tsx';
import { useLoad } from '../../use-load.ts';
import { useHeading } from '../use-heading.ts';
import { Bars, type Series, StackedDays } from './charts.tsx';

const T = TEXTS.overview;
const RECOMMENDED: readonly Series[] = [
  { name: 'ALLOW', text: T.outcomes.names.ALLOW, tone: 'good' },
  { name: 'REVIEW', text: T.outcomes.names.REVIEW, tone: 'warn' },
  { name: 'BLOCK', text: T.outcomes.names.BLOCK, tone: 'bad' },
];
const ENDED: readonly Series[] = [
  { name: 'completed', text: T.unfinished.names.completed, tone: 'accent' },
  { name: 'cancelled', text: T.unfinished.names.cancelled, tone: 'warn' },
  { name: 'expired', text: T.unfinished.names.expired, tone: 'quiet' },
];
const SENT: readonly Series[] = [
  { name: 'delivered', text: T.webhooks.names.delivered, tone: 'good' },
  { name: 'failed', text: T.webhooks.names.failed, tone: 'warn' },
  { name: 'dead', text: T.webhooks.names.dead, tone: 'bad' },
];
const DEFAULT_DAYS = '30';
const percent = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 });

export function OverviewRoom({ filters }: { filters: OverviewFilters }) {
  const heading = useHeading(T.heading);
  const choices = useLoad('choices', api.choices);
  const { value: overview, problem, reload } = useLoad(JSON.stringify(filters), () => api.overview(filters));
  useShortcuts({ r: reload });
  const choose = (name: OverviewFilterName) => (value: string) => {
    const { [name]: _, ...remaining } = filters;
    navigate({ room: 'overview', filters: value === '' ? remaining : { ...remaining, [name]: value } });
  };
  const plain = (values: readonly string[]): Option[] => values.map((value) => [value, formatCode(value)]);
  const { [Number(DEFAULT_DAYS) as 30]: usual, ...spans } = T.days;
  const keys = (choices.value?.keys ?? []).map(({ id, label }): Option => [id, label ?? id.slice(0, 8)]);

  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        {T.heading}
      </h1>
      <p class="quiet">{T.lead}</p>
      <search class="filters">
        <FilterSelect
          label={T.filters.days}
          value={filters.days === DEFAULT_DAYS ? undefined : filters.days}
          all={usual}
          options={Object.entries(spans)}
          choose={choose('days')}
        />
        <FilterSelect
          label={T.filters.kind}
          value={filters.kind}
          options={plain(['age', 'verification'])}
          choose={choose('kind')}
        />
        <FilterSelect
          label={T.filters.world}
          value={filters.world}
          options={plain(['live', 'test'])}
          choose={choose('world')}
        />
        <FilterSelect label={T.filters.key} value={filters.key} options={keys} choose={choose('key')} />
      </search>
      {problem && <Problem error={problem} retry={reload} clear={() => navigate({ room: 'overview', filters: {} })} />}
      {overview && isEmpty(overview) && <p class="empty">{T.empty}</p>}
      {overview && !isEmpty(overview) && <Charts overview={overview} filters={filters} />}
    </>
  );
}

/** Links to the rows behind a number, with its days, world and key. */
function givenUpOf({ days = DEFAULT_DAYS, world, key }: OverviewFilters): WebhookAddressFilters {
  return { stage: 'dead', since: `${days}d`, ...(world && { world }), ...(key && { key }) };
}

function isEmpty({ stages, days }: OverviewView): boolean {
  return stages.every(({ count }) => count === 0) && days.every(({ webhooks }) => Object.keys(webhooks).length === 0);
}

function Charts({ overview, filters }: { overview: OverviewView; filters: OverviewFilters }) {
  const { days, stages, seconds, completed, withDocument, errors, flags } = overview;
  const share = completed === 0 ? undefined : T.funnel.document(percent.format(withDocument / completed));
  return (
    <div class="charts">
      <StackedDays
        heading={T.outcomes.heading}
        text={T.outcomes.text(completed)}
        series={RECOMMENDED}
        days={days.map(({ day, recommendations }) => ({ day, counts: recommendations }))}
      />
      <StackedDays
        heading={T.unfinished.heading}
        series={ENDED}
        days={days.map(({ day, states }) => ({ day, counts: states }))}
      />
      <Bars
        heading={T.funnel.heading}
        text={share}
        head={[T.funnel.stage, T.count]}
        bars={stages.map(({ stage, count }) => ({ name: T.funnel.names[stage], count }))}
      />
      <Bars
        heading={T.seconds.heading}
        text={T.seconds.text}
        head={[T.seconds.heading, T.count]}
        none={T.seconds.none}
        bars={(seconds.some(({ count }) => count > 0) ? seconds : []).map(({ upTo, count }) => ({
          name: upTo === null ? T.seconds.longer : T.seconds.upTo(upTo),
          count,
        }))}
      />
      <Bars
        heading={T.errors.heading}
        head={[T.errors.code, T.count]}
        bars={errors.map(({ code, meaning, count }) => ({ name: meaning || code, detail: code, count }))}
        none={T.errors.none}
      />
      <Bars
        heading={T.flags.heading}
        head={[T.flags.code, T.count]}
        bars={flags.map(({ code, count }) => ({ name: formatCode(code), count }))}
        none={T.flags.none}
      />
      <StackedDays
        heading={T.webhooks.heading}
        text={filters.kind === undefined ? T.webhooks.text : `${T.webhooks.ofAllKinds} ${T.webhooks.text}`}
        series={SENT}
        days={days.map(({ day, webhooks }) => ({ day, counts: webhooks }))}
      >
        <p>
          <a href={formatFragment({ room: 'webhooks', filters: givenUpOf(filters) })}>{T.webhooks.open}</a>
        </p>
      </StackedDays>
    </div>
  );
}
