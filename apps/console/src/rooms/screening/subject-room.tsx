// One watched subject: hits, their history, and decisions.
import type { Permission } from '@limen/server/console';
import type { RevealedWatchedView, SubjectView } from '@limen/server/console/screening';
import { useState } from 'preact/hooks';
import { formatFragment, navigate } from '../../address.ts';
import { ApiError } from '../../call.ts';
import { useShortcuts } from '../../keyboard.ts';
import { screeningApi } from '../../screening-api.ts';
import { TEXTS } from '../../texts.ts';
import { Facts } from '../../ui/lists.tsx';
import { Code, Problem, Time, WorkButton, WorldBadge } from '../../ui/parts.tsx';
import { useLoad } from '../../use-load.ts';
import { useHeading } from '../use-heading.ts';
import { SubjectHistory } from './subject-history.tsx';
import { Hits } from './subject-hits.tsx';

const T = TEXTS.screening.subject;
const LIST = { room: 'screening', tab: 'subjects', filters: {} } as const;

export function SubjectRoom({ id, permissions }: { id: string; permissions: readonly Permission[] }) {
  const heading = useHeading(T.title(id.slice(-8)));
  const { value: subject, problem, reload, set } = useLoad(id, () => screeningApi.subject(id));
  const [revealed, setRevealed] = useState<RevealedWatchedView>();
  const back = () => (history.length > 1 ? history.back() : navigate(LIST));
  useShortcuts({ u: back, r: reload });
  const mayReveal =
    subject !== undefined &&
    !subject.isUnreadable &&
    permissions.includes(subject.world === 'live' ? 'subjects.reveal' : 'subjects.reveal.test');
  const show = async () => setRevealed(await screeningApi.reveal(id));
  const onChange = async () => {
    if (revealed) await show();
    set(await screeningApi.subject(id));
  };

  return (
    <>
      <p class="crumb">
        <a href={formatFragment(LIST)}>{T.back}</a>
      </p>
      <h1 ref={heading} tabIndex={-1} class="id">
        <Code>{id}</Code>
      </h1>
      {problem && (
        <Problem
          error={problem instanceof ApiError && problem.status === 404 ? new Error(T.gone) : problem}
          retry={reload}
        />
      )}
      {subject && (
        <>
          <p class="verdict">
            <strong>{TEXTS.screening.subjects.hitStates[subject.hits]}</strong> <WorldBadge world={subject.world} />
          </p>
          {subject.isUnreadable && <Problem error={new Error(T.unreadable)} />}
          <div class="columns">
            <div>
              {mayReveal && <Who revealed={revealed} show={show} hide={() => setRevealed(undefined)} />}
              <Hits
                subject={subject}
                revealed={revealed}
                mayDecide={permissions.includes('subjects.decide')}
                onChange={onChange}
              />
              <SubjectHistory key={subject.history[0]?.id} subject={subject} isRevealed={revealed !== undefined} />
            </div>
            <div>
              <SubjectFacts subject={subject} />
            </div>
          </div>
        </>
      )}
    </>
  );
}

function SubjectFacts({ subject }: { subject: SubjectView }) {
  const { customerName, state, createdAt, screenedAt, dataset, scoreThreshold, hasCallback } = subject;
  return (
    <section>
      <h2>{T.facts}</h2>
      <Facts
        facts={[
          [T.customer, <bdi key="customer">{customerName}</bdi>],
          [T.state, TEXTS.screening.subjects.states[state]],
          [T.since, <Time at={createdAt} />],
          [T.screened, screenedAt === null ? T.never : <Time at={screenedAt} />],
          [T.dataset, dataset ?? TEXTS.none],
          [T.threshold, scoreThreshold === null ? TEXTS.none : String(scoreThreshold)],
          [T.callback, hasCallback ? T.callbacks.yes : T.callbacks.no],
        ]}
      />
    </section>
  );
}

interface WhoProps {
  revealed: RevealedWatchedView | undefined;
  show: () => Promise<void>;
  hide: () => void;
}

function Who({ revealed, show, hide }: WhoProps) {
  return (
    <section>
      <h2>{T.who}</h2>
      {revealed ? (
        <>
          <Facts facts={knownOf(revealed)} />
          <button type="button" class="small" onClick={hide}>
            {T.hide}
          </button>
        </>
      ) : (
        <>
          <p class="quiet">{T.whoHint}</p>
          <WorkButton class="small" work={show}>
            {T.reveal}
          </WorkButton>
        </>
      )}
    </section>
  );
}

function knownOf({ reference, subject }: RevealedWatchedView): [string, preact.ComponentChildren][] {
  const known: Record<string, unknown> = { reference, ...subject };
  return (Object.keys(T.fields) as (keyof typeof T.fields)[])
    .filter((field) => known[field] !== undefined)
    .map((field) => [T.fields[field], <bdi>{formatField(known[field])}</bdi>]);
}

function formatField(value: unknown): string {
  if (!Array.isArray(value)) return String(value);
  return value
    .map((item: string | { kind?: string; value: string }) =>
      typeof item === 'string' ? item : [item.kind, item.value].filter(Boolean).join(' '),
    )
    .join('; ');
}
