// Parts of a session's page.
import type { DeliveryView, SessionView, TimelineEntry } from '@limen/server/console/sessions';
import { useState } from 'preact/hooks';
import { formatCode } from '../format.ts';
import { TEXTS } from '../texts.ts';
import { Badge, Code, DoneNotice, Time, WorkButton } from '../ui/parts.tsx';

const T = TEXTS.session;

type Fact = [string, preact.ComponentChildren];
const row = (...fact: Fact): Fact => fact;

export function Facts({ session }: { session: SessionView }) {
  const facts: Fact[] = [
    [T.kind, session.operation === null ? session.kind : `${session.kind}, ${formatCode(session.operation)}`],
    [T.state, session.state],
    [T.asked, session.requirements.map(formatCode).join(', ') || TEXTS.none],
    ...(session.acceptedProofs.length > 0 ? [row(T.accepted, session.acceptedProofs.map(formatCode).join(', '))] : []),
    ...(session.source === null ? [] : [row(T.source, formatCode(session.source))]),
    [T.key, session.key.label ?? session.key.id.slice(0, 8)],
    [T.customer, session.customer],
    [T.created, <Time at={session.createdAt} />],
    session.endedAt === null ? [T.expires, <Time at={session.expiresAt} />] : [T.ended, <Time at={session.endedAt} />],
    ...(session.purgeAt === null ? [] : [row(T.purge, <Time at={session.purgeAt} />)]),
  ];
  return (
    <section>
      <h2>{T.facts}</h2>
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

export function FlagList({ explanations }: Pick<SessionView, 'explanations'>) {
  return (
    <ul class="flags">
      {explanations.map(({ code, weight, atBest, signal, meaning, innocent }) => (
        <li key={code}>
          <p>
            <Code>{code}</Code> <span class="quiet">{T.signal[signal]}</span> <span>{T.weighs(weight)}</span>{' '}
            {atBest && <Badge tone={atBest === 'BLOCK' ? 'bad' : 'warn'}>{T.atBest[atBest]}</Badge>}
          </p>
          {meaning !== '' && <p>{meaning}</p>}
          {innocent !== '' && (
            <p class="quiet small-text">
              {T.innocent}: {innocent}
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}

export function Explanations({ session }: { session: SessionView }) {
  const { risk, explanations, errors } = session;
  return (
    <section>
      <h2>{T.risk}</h2>
      {risk ? <p>{T.score(risk.score, risk.level)}</p> : <p class="quiet">{T.noRisk}</p>}
      {risk && explanations.length === 0 && <p class="quiet">{T.noFlags}</p>}
      <FlagList explanations={explanations} />
      {errors.length > 0 && (
        <>
          <h3>{T.errors}</h3>
          <ul class="plain-list">
            {errors.map(({ code, message }) => (
              <li key={code}>
                <Code>{code}</Code> {message}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

export function Timeline({ timeline }: Pick<SessionView, 'timeline'>) {
  return (
    <section>
      <h2>{T.timeline}</h2>
      <ol class="timeline">
        {timeline.map((entry, at) => (
          <li key={`${at} ${entry.what}`}>
            <span class="when">{entry.at === null ? TEXTS.none : <Time at={entry.at} />}</span>
            <span>
              {T.what[entry.what]}
              {entry.detail !== '' && <span class="quiet"> {formatDetail(entry)}</span>}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Shows the URL once, above the attempts. */
function formatDetail({ detail, outcome }: TimelineEntry): string {
  if (outcome !== undefined) return formatOutcome(outcome);
  return detail.includes('://') ? detail : formatCode(detail);
}

function formatOutcome(outcome: number | string): string {
  return typeof outcome === 'number' ? T.status(outcome) : formatCode(outcome);
}

interface DeliveriesProps {
  session: SessionView;
  /** Undefined if the operator may not resend. */
  resend: ((id: string) => Promise<void>) | undefined;
}

const TONES = { pending: 'warn', delivered: 'good', dead: 'bad' } as const;

export function Deliveries({ session: { deliveries }, resend }: DeliveriesProps) {
  const [isResent, setResent] = useState(false);
  const again = async (id: string) => {
    setResent(false);
    await resend!(id);
    setResent(true);
  };
  return (
    <section>
      <h2>{T.deliveries}</h2>
      {isResent && <DoneNotice>{T.resent}</DoneNotice>}
      {deliveries.length === 0 && <p class="quiet">{T.noDeliveries}</p>}
      <ul class="plain-list">
        {deliveries.map((delivery) => (
          <li key={delivery.id} class="row spread delivery">
            <Delivery delivery={delivery} />
            {resend && delivery.canResend && (
              <WorkButton class="small" work={() => again(delivery.id)}>
                {T.resend}
              </WorkButton>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Delivery({ delivery }: { delivery: DeliveryView }) {
  const { state, url, attempts, lastStatus, lastError, createdAt, nextAttemptAt, tries } = delivery;
  return (
    <div>
      <p>
        <Badge tone={TONES[state]}>{state}</Badge> {url}
      </p>
      <p class="quiet small-text">
        <Time at={Date.parse(createdAt)} />, {T.attempts(attempts)}
        {lastStatus !== undefined && `, ${T.status(lastStatus)}`}
        {lastError !== undefined && state !== 'delivered' && `, ${formatCode(lastError)}`}
        {nextAttemptAt !== undefined && (
          <>
            , {T.nextTry} <Time at={Date.parse(nextAttemptAt)} />
          </>
        )}
      </p>
      {tries.length > 1 && (
        <details class="small-text">
          <summary>{T.tries}</summary>
          <ol class="timeline">
            {tries.map(({ at, outcome }, nth) => (
              <li key={`${nth} ${at}`}>
                <span class="when">
                  <Time at={at} />
                </span>
                <span>{formatOutcome(outcome)}</span>
              </li>
            ))}
          </ol>
        </details>
      )}
    </div>
  );
}
