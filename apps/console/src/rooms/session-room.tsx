// One session: course, risk, webhooks and actions.
import type { Permission } from '@limen/server/console';
import type { RevealedSession, SessionView } from '@limen/server/console/sessions';
import { useState } from 'preact/hooks';
import { formatFragment, navigate } from '../address.ts';
import { api } from '../api.ts';
import { ApiError } from '../call.ts';
import { formatCode, formatDuration, replaceTimes } from '../format.ts';
import { useShortcuts } from '../keyboard.ts';
import { setNotice } from '../notice.ts';
import { usePasskey } from '../passkeys.ts';
import { TEXTS } from '../texts.ts';
import { Code, Confirm, CopyButton, Problem, RecommendationBadge, WorkButton, WorldBadge } from '../ui/parts.tsx';
import { useLoad, usePolling } from '../use-load.ts';
import { hasVerdict } from './has-verdict.ts';
import { Deliveries, Explanations, Facts, Timeline } from './session-parts.tsx';
import { useHeading } from './use-heading.ts';

const LIVE_MS = 4_000;
const T = TEXTS.session;
const LIST = { room: 'sessions', filters: {} } as const;

export function SessionRoom({ id, permissions }: { id: string; permissions: readonly Permission[] }) {
  const heading = useHeading(`${TEXTS.sessions.columns.id} ${id.slice(0, 8)}`);
  const { value: session, problem, reload, set } = useLoad(id, () => api.session(id));
  const [isRedacting, setRedacting] = useState(false);
  usePolling(LIVE_MS, () => {
    if (session && isMoving(session)) api.session(id, true).then(set, () => {});
  });
  const back = () => (history.length > 1 ? history.back() : navigate(LIST));
  useShortcuts({ u: back, r: reload });

  const may = (permission: Permission) => permissions.includes(permission);
  const redact = async () => {
    await api.redact(id, await usePasskey(await api.ask('session.redact', id)));
    setNotice(LIST.room, T.redacted(id.slice(0, 8)));
    navigate(LIST);
  };
  const resend = async (deliveryId: string) => {
    const { gone } = await api.resend([deliveryId]);
    if (gone.length > 0) throw new Error(TEXTS.webhooks.bodyGone);
    set(await api.session(id, true));
  };

  return (
    <>
      <p class="crumb">
        <a href={formatFragment(LIST)}>{T.back}</a>
      </p>
      <div class="row spread">
        <h1 ref={heading} tabIndex={-1} class="id">
          <Code>{id}</Code>
        </h1>
        {session && (
          <div class="row">
            <CopyButton text={JSON.stringify(session, replaceTimes, 2)} label={T.copyJson} />
            {may('sessions.redact') && (
              <button type="button" class="small danger" onClick={() => setRedacting(true)}>
                {T.redact}
              </button>
            )}
          </div>
        )}
      </div>
      {problem && (
        <Problem
          error={problem instanceof ApiError && problem.status === 404 ? new Error(T.gone) : problem}
          retry={reload}
        />
      )}
      {session && (
        <>
          <p class="verdict">
            {hasVerdict(session) && <RecommendationBadge value={session.risk.recommendation} />}{' '}
            <strong>{formatCode(session.outcome ?? session.state)}</strong> <WorldBadge world={session.world} />
            {session.endedAt !== null && (
              <span class="quiet">
                {T.duration.toLowerCase()} {formatDuration(session.endedAt - session.createdAt)}
              </span>
            )}
          </p>
          {session.review && permissions.includes('review.read') && (
            <p>
              <a href={formatFragment({ room: 'case', id: session.review.caseId })}>
                {T.review(session.review.verdict)}
              </a>
            </p>
          )}
          {session.isUnreadable && <Problem error={new Error(T.unreadable)} />}
          <div class="columns">
            <div>
              <Explanations session={session} />
              <Deliveries session={session} resend={may('deliveries.resend') ? resend : undefined} />
              {mayReveal(session, permissions) && <Personal id={id} />}
            </div>
            <div>
              <Facts session={session} />
              <Timeline timeline={session.timeline} />
            </div>
          </div>
        </>
      )}
      {isRedacting && (
        <Confirm
          heading={T.redactHeading}
          text={T.redactText}
          button={T.redactButton}
          work={redact}
          onClose={() => setRedacting(false)}
        />
      )}
    </>
  );
}

/** States in which the session can still change. */
function isMoving({ endedAt, deliveries }: SessionView): boolean {
  return endedAt === null || deliveries.some(({ state }) => state === 'pending');
}

function mayReveal({ world, isUnreadable }: SessionView, permissions: readonly Permission[]): boolean {
  return !isUnreadable && permissions.includes(world === 'live' ? 'sessions.reveal' : 'sessions.reveal.test');
}

function Personal({ id }: { id: string }) {
  const [shown, setShown] = useState<RevealedSession>();
  return (
    <section>
      <h2>{T.personal}</h2>
      {shown ? (
        <>
          <pre>{JSON.stringify(withMetadata(shown), null, 2)}</pre>
          <button type="button" class="small" onClick={() => setShown(undefined)}>
            {T.hide}
          </button>
        </>
      ) : (
        <>
          <p class="quiet">{T.personalHint}</p>
          <WorkButton class="small" work={async () => setShown(await api.reveal(id))}>
            {T.reveal}
          </WorkButton>
        </>
      )}
    </section>
  );
}

/** Parsing would round large numbers, so only JSON that survives a round trip is indented. */
function withMetadata({ metadata, ...rest }: RevealedSession): object {
  const parsed = metadata === null ? null : tryToParse(metadata);
  return { metadata: parsed !== undefined && JSON.stringify(parsed) === metadata ? parsed : metadata, ...rest };
}

function tryToParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
