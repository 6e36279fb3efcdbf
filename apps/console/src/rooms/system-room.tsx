// The service: doctor findings, jobs, failing webhooks and trusted wallet issuers.
import type { Permission } from '@limen/server/console';
import type { AnchorView, FindingView, JobsView } from '@limen/server/console/operations';
import { formatFragment } from '../address.ts';
import { api } from '../api.ts';
import { useShortcuts } from '../keyboard.ts';
import { TEXTS } from '../texts.ts';
import { Badge, Code, Problem, Time, WorkButton } from '../ui/parts.tsx';
import { TableHead } from '../ui/table-head.tsx';
import { useLoad } from '../use-load.ts';
import { useHeading } from './use-heading.ts';

const T = TEXTS.system;

export function SystemRoom({ permissions }: { permissions: readonly Permission[] }) {
  const heading = useHeading(T.heading);
  const system = useLoad('system', api.system);
  const jobs = useLoad('jobs', api.jobs);
  const anchors = useLoad('anchors', api.anchors);
  const reload = () => {
    system.reload();
    jobs.reload();
    anchors.reload();
  };
  useShortcuts({ r: reload });
  const problem = system.problem ?? jobs.problem ?? anchors.problem;
  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        {T.heading}
      </h1>
      {system.value && (
        <p class="quiet">
          {T.about(system.value.version)} <Time at={system.value.startedAt} />
        </p>
      )}
      {problem && <Problem error={problem} retry={reload} />}
      <div class="columns wide">
        <div>
          <Findings findings={system.value?.findings} isFailed={system.problem !== undefined} />
          <Anchors anchors={anchors.value} />
        </div>
        <div>
          {jobs.value && (
            <Jobs jobs={jobs.value} mayRetry={permissions.includes('jobs.retry')} onChange={jobs.reload} />
          )}
          <FailingWebhooks />
        </div>
      </div>
    </>
  );
}

const TONES = { ok: 'good', warning: 'warn', failure: 'bad' } as const;
const URGENCY = ['failure', 'warning', 'ok'];

/** Sorts findings that need action first and keeps the order of checks otherwise. */
function compareUrgency(first: FindingView, second: FindingView): number {
  return URGENCY.indexOf(first.level) - URGENCY.indexOf(second.level);
}

function Findings({ findings, isFailed }: { findings: readonly FindingView[] | undefined; isFailed: boolean }) {
  const count = (level: FindingView['level']) => findings?.filter((finding) => finding.level === level).length ?? 0;
  return (
    <section>
      <h2>{T.findings}</h2>
      <p class="quiet" aria-live="polite">
        {findings ? T.summary(count('failure'), count('warning')) : !isFailed && T.examining} {T.findingsHint}
      </p>
      <ul class="plain-list">
        {findings?.toSorted(compareUrgency).map(({ check, level, found, remedy }, at) => (
          <li key={`${at} ${check}`} class="finding">
            <Badge tone={TONES[level]}>{T.levels[level]}</Badge>
            <div>
              <p>
                <strong>{check}</strong> {found}
              </p>
              {remedy !== null && <p class="quiet small-text">{remedy}</p>}
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface JobsProps {
  jobs: JobsView;
  mayRetry: boolean;
  onChange: () => void;
}

/** Lets `webhooks.deliver` wrap after its dot. */
function makeBreakable(kind: string) {
  return kind.split(/(?<=[._])/).map((part, at) => [at > 0 && <wbr key={part} />, part]);
}

function Jobs({ jobs: { counts, dead }, mayRetry, onChange }: JobsProps) {
  const retry = async (id: string) => {
    await api.retryJob(id);
    onChange();
  };
  return (
    <section>
      <h2>{T.jobs}</h2>
      {counts.length === 0 ? (
        <p class="quiet">{T.noJobs}</p>
      ) : (
        <table class="list">
          <TableHead
            texts={T.jobColumns}
            kinds={{ due: 'number', waiting: 'number', running: 'number', dead: 'number' }}
          />
          <tbody>
            {counts.map(({ kind, due, waiting, running, dead: deadCount }) => (
              <tr key={kind}>
                <th scope="row">
                  <Code>{makeBreakable(kind)}</Code>
                </th>
                <td class="number">{due}</td>
                <td class="number">{waiting}</td>
                <td class="number">{running}</td>
                <td class="number">{deadCount === 0 ? 0 : <Badge tone="bad">{deadCount}</Badge>}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {dead.length > 0 && (
        <>
          <h3>{T.dead}</h3>
          <ul class="plain-list">
            {dead.map(({ id, kind, attempts, lastError, createdAt }) => (
              <li key={id} class="row spread">
                <p>
                  <Code>{kind}</Code>{' '}
                  <span class="quiet small-text">
                    <Time at={createdAt} />, {T.attempts(attempts)}
                    {lastError !== null && `, ${lastError}`}
                  </span>
                </p>
                {mayRetry && (
                  <WorkButton class="small" work={() => retry(id)}>
                    {T.retry}
                  </WorkButton>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

/** Same span as the overview's first view, so that both show one number. */
const FAILING_SPAN = { since: '30d' } as const;

function FailingWebhooks() {
  const { value, problem, reload } = useLoad('webhooks', () => api.webhooks(FAILING_SPAN));
  return (
    <section>
      <h2>{TEXTS.webhooks.heading}</h2>
      {problem && <Problem error={problem} retry={reload} />}
      {value && (
        <p>
          {TEXTS.webhooks.counts(value.counts)} {T.webhooksSpan}{' '}
          <a href={formatFragment({ room: 'webhooks', filters: FAILING_SPAN })}>{T.openWebhooks}</a>
        </p>
      )}
    </section>
  );
}

const STATE_TONES = { valid: 'good', not_yet_valid: 'quiet', expires_soon: 'warn', expired: 'bad' } as const;

function Anchors({ anchors }: { anchors: readonly AnchorView[] | undefined }) {
  return (
    <section>
      <h2>{T.anchors}</h2>
      {anchors?.length === 0 && <p class="quiet">{T.noAnchors}</p>}
      {anchors && anchors.length > 0 && (
        <table class="list">
          <TableHead texts={T.anchorColumns} kinds={{ profile: 'roomy' }} />
          <tbody>
            {anchors.map(({ profile, name, country, fingerprint, notAfter, state, list }) => (
              <tr key={`${profile} ${fingerprint}`}>
                <th scope="row">
                  <bdi>{name}</bdi> <span class="quiet small-text">{[country, list].filter(Boolean).join(', ')}</span>
                </th>
                <td class="roomy">{profile}</td>
                <td>
                  <Time at={notAfter} />
                </td>
                <td>
                  <Badge tone={STATE_TONES[state]}>{T.states[state]}</Badge>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
