// What operators did and looked at.
import type { AuditLineView } from '@limen/server/console';
import { api } from '../api.ts';
import { useShortcuts } from '../keyboard.ts';
import { TEXTS } from '../texts.ts';
import { MoreButton } from '../ui/lists.tsx';
import { Badge, Problem, Time, useWork } from '../ui/parts.tsx';
import { useLoad } from '../use-load.ts';
import { useHeading } from './use-heading.ts';

const T = TEXTS.audit;

export function AuditRoom() {
  const heading = useHeading(T.heading);
  const { value: page, problem, reload, set } = useLoad('audit', () => api.audit());
  const [isBusy, moreProblem, run] = useWork();
  useShortcuts({ r: reload });
  const showMore = async () => {
    const more = await api.audit(page!.next!);
    set({ ...more, lines: [...page!.lines, ...more.lines] });
  };
  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        {T.heading}
      </h1>
      <p class="quiet">{T.lead}</p>
      {problem && <Problem error={problem} retry={reload} />}
      {page && (
        <table class="list">
          <thead>
            <tr>
              <th scope="col">{T.columns.time}</th>
              <th scope="col">{T.columns.operator}</th>
              <th scope="col">{T.columns.act}</th>
              <th scope="col" class="roomy">
                {T.columns.about}
              </th>
              <th scope="col" class="roomy">
                {T.columns.from}
              </th>
            </tr>
          </thead>
          <tbody>
            {page.lines.map((line) => (
              <Line key={line.seq} line={line} />
            ))}
          </tbody>
        </table>
      )}
      {page?.next !== undefined && <MoreButton isBusy={isBusy} onPress={() => run(showMore)} />}
      {moreProblem && <Problem error={moreProblem} />}
    </>
  );
}

function Line({ line }: { line: AuditLineView }) {
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
  const { time, operator, role, act, about, from } = line;
  return (
    <tr>
      <td>
        <Time at={Date.parse(time)} />
      </td>
      <th scope="row" class="clip">
        {operator} <span class="quiet roomy">{role}</span>
      </th>
      <td>{T.acts[act] ?? act}</td>
      <td class="roomy clip">
        <code>{about ?? ''}</code>
      </td>
      <td class="roomy">{from}</td>
    </tr>
  );
}
