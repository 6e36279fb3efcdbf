// Audit log: filtered by the address, exported as a whole.
import type { ActSubject, AuditLineView, Permission } from '@limen/server/console';
import type { ComponentChildren } from 'preact';
import { type AuditFilterName, type AuditFilters, formatFragment, navigate, type Place } from '../address.ts';
import { api } from '../api.ts';
import { resolveUrl } from '../call.ts';
import { useShortcuts } from '../keyboard.ts';
import { TEXTS } from '../texts.ts';
import { FilterSelect, MoreButton, type Option } from '../ui/lists.tsx';
import { Badge, Code, Problem, Time, useAction } from '../ui/parts.tsx';
import { TableHead } from '../ui/table-head.tsx';
import { useLoad } from '../use-load.ts';
import { useHeading } from './use-heading.ts';

const T = TEXTS.audit;
const ACTS: readonly Option[] = Object.entries(T.acts).sort(([, first], [, second]) => first.localeCompare(second));
/** Links an entry to its subject if the operator's role may open it. */
const NEEDS = {
  session: 'sessions.read',
  case: 'review.read',
  subject: 'screening.read',
} as const satisfies Record<ActSubject, Permission>;

const ID = /^[0-9a-f-]{36}$/;

interface AuditRoomProps {
  filters: AuditFilters;
  permissions: readonly Permission[];
}

export function AuditRoom({ filters, permissions }: AuditRoomProps) {
  const heading = useHeading(T.heading);
  const { value: page, problem, reload, set } = useLoad(JSON.stringify(filters), () => api.audit(filters));
  const { value: who = [] } = useLoad('who', api.auditWho);
  const [isBusy, moreProblem, run] = useAction();
  useShortcuts({ r: reload });
  const showMore = async () => {
    const more = await api.audit(filters, page!.next!);
    set({ ...more, lines: [...page!.lines, ...more.lines] });
  };
  const without = (name: AuditFilterName): AuditFilters => {
    const { [name]: _, ...remaining } = filters;
    return remaining;
  };
  const choose = (name: AuditFilterName) => (value: string) =>
    navigate({ room: 'audit', filters: value === '' ? without(name) : { ...filters, [name]: value } });
  return (
    <>
      <div class="row spread">
        <h1 ref={heading} tabIndex={-1}>
          {T.heading}
        </h1>
        <a class="button" href={resolveUrl('audit/export').href} download>
          {T.export}
        </a>
      </div>
      <p class="quiet">{T.lead}</p>
      <search class="filters">
        <FilterSelect
          label={T.filters.who}
          value={filters.who}
          options={listOperatorNames(who, filters.who, page?.lines)}
          choose={choose('who')}
        />
        <FilterSelect label={T.filters.act} value={filters.act} options={ACTS} choose={choose('act')} />
        {(['from', 'until'] as const).map((name) => (
          <label key={name}>
            {T.filters[name]}
            <input
              type="date"
              value={filters[name] ?? ''}
              onChange={(event) => choose(name)(event.currentTarget.value)}
            />
          </label>
        ))}
      </search>
      {problem && <Problem error={problem} retry={reload} clear={() => navigate({ room: 'audit', filters: {} })} />}
      {page?.lines.length === 0 && <p class="empty">{T.empty}</p>}
      {page && page.lines.length > 0 && (
        <table class="list">
          <TableHead texts={T.columns} kinds={{ about: 'roomy', from: 'roomy' }} />
          <tbody>
            {page.lines.map((line) => (
              <Line key={line.seq} line={line} filters={filters} permissions={permissions} />
            ))}
          </tbody>
        </table>
      )}
      {page?.next !== undefined && <MoreButton isBusy={isBusy} onPress={() => run(showMore)} />}
      {moreProblem && <Problem error={moreProblem} />}
    </>
  );
}

/** Removed operators still have entries. */
function listOperatorNames(
  who: readonly { id: string; name: string }[],
  chosen: string | undefined,
  lines: readonly AuditLineView[] = [],
): Option[] {
  const names = who.map(({ id, name }): Option => [id, name]);
  if (chosen === undefined || who.some(({ id }) => id === chosen)) return names;
  const line = lines.find(({ isUnreadable }) => !isUnreadable);
  return [...names, [chosen, line && !line.isUnreadable ? line.operator : chosen]];
}

function Line({ line, filters, permissions }: { line: AuditLineView } & AuditRoomProps) {
  if (line.isUnreadable) {
    return (
      <tr>
        <td />
        <th scope="row">{T.lineNumber(line.seq)}</th>
        <td>
          <Badge tone="bad">{T.unreadable}</Badge>
        </td>
        <td class="roomy" />
        <td class="roomy" />
      </tr>
    );
  }
  const { time, operator, operatorId, role, act, place, from } = line;
  const about = line.about !== null && (
    <>
      {line.label !== null && <bdi>{line.label} </bdi>}
      <Code>{place && permissions.includes(NEEDS[place]) ? linkSubjects(place, line.about) : line.about}</Code>
    </>
  );
  return (
    <tr>
      <td>
        <Time at={Date.parse(time)} />
      </td>
      <th scope="row" class="whole">
        <a href={formatFragment({ room: 'audit', filters: { ...filters, who: operatorId } })}>
          <bdi>{operator}</bdi>
        </a>{' '}
        <span class="quiet roomy">{role}</span>
      </th>
      <td class="did">
        {T.acts[act] ?? act}
        {about && <span class="narrow small-text">{about}</span>}
        <Code class="narrow small-text quiet">{from}</Code>
      </td>
      <td class="roomy whole">{about}</td>
      <td class="roomy">
        <Code>{from}</Code>
      </td>
    </tr>
  );
}

/** One id, several ids, or an id with its decision. */
function linkSubjects(room: ActSubject, about: string): ComponentChildren {
  return about.split(' ').map((word, at) => {
    const place: Place = { room, id: word };
    return [
      at > 0 && ' ',
      ID.test(word) ? (
        <a key={word} href={formatFragment(place)}>
          {word}
        </a>
      ) : (
        word
      ),
    ];
  });
}
