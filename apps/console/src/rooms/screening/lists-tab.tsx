// Lists: version, number of entities, last change, and whether they need attention.
import type { ListView } from '@limen/server/console/screening';
import { useShortcuts } from '../../keyboard.ts';
import { TEXTS } from '../../texts.ts';
import { Badge, Code, Time } from '../../ui/parts.tsx';
import { TableHead } from '../../ui/table-head.tsx';

const T = TEXTS.screening.lists;
const TONES = { ready: 'good', loading: 'accent', failed: 'bad' } as const;
const number = new Intl.NumberFormat();
const signed = new Intl.NumberFormat(undefined, { signDisplay: 'exceptZero' });

export function ListsTab({ lists, reload }: { lists: readonly ListView[]; reload: () => void }) {
  useShortcuts({ r: reload });
  const own = lists.filter(({ kind }) => kind !== 'collection');
  const collections = lists.filter(({ kind }) => kind === 'collection');
  return (
    <>
      <table class="list">
        <TableHead texts={T.columns} kinds={{ entities: 'number', changed: 'roomy', checked: 'roomy' }} />
        <tbody>
          {own.map((list) => (
            <List key={list.name} list={list} />
          ))}
        </tbody>
      </table>
      <p class="quiet small-text">{T.hint}</p>
      <section>
        <h2>{T.collections}</h2>
        <p class="quiet">{T.collectionsLead}</p>
        <ul class="plain-list">
          {collections.map(({ name, status, members, entityCount, problem }) => (
            <li key={name}>
              <p>
                <Code>{name}</Code> <Badge tone={TONES[status]}>{T.states[status]}</Badge>{' '}
                {entityCount !== null && number.format(entityCount)} <span class="quiet">{members.join(', ')}</span>
              </p>
              {problem !== null && <p class="quiet small-text">{problem}</p>}
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}

function List({ list }: { list: ListView }) {
  const { name, kind, version, entityCount, builtAt, checkedAt, isStale, previous, status, problem } = list;
  const change = previous && entityCount !== null ? entityCount - previous.entityCount : null;
  return (
    <tr>
      <th scope="row">
        <bdi>{name}</bdi>
        {problem !== null && <p class="quiet small-text">{problem}</p>}
      </th>
      <td>
        <bdi>{version ?? TEXTS.none}</bdi>
        {previous && <p class="quiet small-text">{T.before(previous.version)}</p>}
      </td>
      <td class="number">
        {entityCount === null ? TEXTS.none : number.format(entityCount)}
        {change !== null && <p class="quiet small-text">{signed.format(change)}</p>}
      </td>
      <td class="roomy">{builtAt === null ? TEXTS.none : <Time at={builtAt} />}</td>
      <td class="roomy">{checkedAt === null ? kind === 'demo' ? TEXTS.none : T.byFile : <Time at={checkedAt} />}</td>
      <td>
        <Badge tone={TONES[status]}>{T.states[status]}</Badge> {isStale && <Badge tone="warn">{T.stale}</Badge>}
        {kind === 'demo' && <Badge tone="quiet">{T.demo}</Badge>}
      </td>
    </tr>
  );
}
