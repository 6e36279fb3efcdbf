// Parts of a case's page and of its row.
import type {
  CaseRowView,
  CaseTransactionView,
  CaseView,
  Verdict as Decision,
  NoteView,
  RevealedSubjectView,
} from '@limen/server/console/review';
import { useState } from 'preact/hooks';
import { formatFragment } from '../../address.ts';
import { formatCode } from '../../format.ts';
import { reviewApi } from '../../review-api.ts';
import { TEXTS } from '../../texts.ts';
import { Facts } from '../../ui/lists.tsx';
import { Badge, Code, Time, WorkButton } from '../../ui/parts.tsx';
import { Explanation, ScoreBadge } from '../screening/match-card.tsx';
import { FlagList, Timeline } from '../session-parts.tsx';

const R = TEXTS.review;
const T = R.case;

const TONES = { ALLOW: 'good', BLOCK: 'bad', confirmed: 'bad', not_this_subject: 'good' } as const;

export function Verdict({ verdict }: { verdict: Decision }) {
  return <Badge tone={TONES[verdict]}>{R.decided[verdict]}</Badge>;
}

export function AboutCase({ row: { session, hit, kind } }: { row: CaseRowView }) {
  if (hit) {
    return (
      <>
        <bdi>{hit.caption}</bdi> <ScoreBadge score={hit.score} />
      </>
    );
  }
  if (!session) return <>{R.kind[kind]}</>;
  // The result of an age check already names the kind.
  const facts = session.operation === 'age' ? [session.outcome] : [session.operation, session.outcome];
  return <>{facts.map(formatCode).join(', ')}</>;
}

/** Reason for the review, with a link to details. */
export function Reasons({ found }: { found: CaseView }) {
  if (found.kind === 'hit') return <ListedEntity found={found} />;
  const { session, explanations, evidence, hasSession, about } = found;
  return (
    <section>
      <h2>{TEXTS.session.risk}</h2>
      {session && <p>{TEXTS.session.score(session.score, session.level)}</p>}
      {session && explanations.length === 0 && <p>{T.byOutcome(formatCode(session.outcome))}</p>}
      <FlagList explanations={explanations} />
      {evidence && <Signals evidence={evidence} />}
      <p>
        {hasSession ? (
          <a href={formatFragment({ room: 'session', id: about })}>{T.openSession}</a>
        ) : (
          <span class="quiet">{T.sessionGone}</span>
        )}
      </p>
    </section>
  );
}

/** The session's course. The case keeps it after the session is deleted. */
export function Course({ found: { evidence } }: { found: CaseView }) {
  return evidence && evidence.timeline.length > 0 ? <Timeline timeline={evidence.timeline} /> : null;
}

function Signals({ evidence: { signals, requirements, errors } }: { evidence: NonNullable<CaseView['evidence']> }) {
  const scores = Object.entries(signals).flatMap(([name, signal]) =>
    signal ? [[T.signals[name as keyof typeof T.signals], String(signal.score)] as const] : [],
  );
  const messages = errors.map(({ code, message }) => `${message} (${code})`);
  return (
    <Facts
      facts={[
        ...(requirements.length > 0 ? [[TEXTS.session.asked, requirements.map(formatCode).join(', ')] as const] : []),
        ...scores,
        ...(messages.length > 0 ? [[TEXTS.session.errors, messages.join(', ')] as const] : []),
      ]}
    />
  );
}

/** Owner of the case, known even after the session is deleted. */
export function CaseFacts({ found, mayReveal }: { found: CaseView; mayReveal: boolean }) {
  const [transaction, setTransaction] = useState<CaseTransactionView>();
  const reveal = async () => setTransaction(await reviewApi.transaction(found.id));
  const shown = transaction ? (
    <Code>{transaction.transactionId ?? TEXTS.none}</Code>
  ) : (
    <WorkButton class="small" work={reveal}>
      {TEXTS.session.reveal}
    </WorkButton>
  );
  return (
    <section>
      <h2>{TEXTS.session.facts}</h2>
      <Facts
        facts={[
          [TEXTS.session.key, <bdi key="key">{found.key.label ?? TEXTS.keys.unlabelled}</bdi>],
          [TEXTS.session.customer, <bdi key="customer">{found.customer}</bdi>],
          ...(found.kind === 'session' && mayReveal && !found.isUnreadable ? ([[T.transaction, shown]] as const) : []),
        ]}
      />
    </section>
  );
}

function ListedEntity({ found: { entity, about } }: { found: CaseView }) {
  return (
    <section>
      <h2>{T.listed}</h2>
      {entity ? (
        <Facts
          facts={[
            [TEXTS.screening.match.listed, <bdi key="caption">{entity.match.caption}</bdi>],
            [T.score, <ScoreBadge key="score" score={entity.match.score} />],
            ...(
              [
                ['aliases', entity.match.aliases],
                ['birthDate', entity.match.birthDate],
                ['countries', entity.match.countries],
                ['programs', entity.match.programs],
                ['datasets', [`${entity.list}, ${entity.listVersion}`]],
              ] as const
            )
              .filter(([, values]) => values.length > 0)
              .map(
                ([field, values]) =>
                  [TEXTS.screening.match.fields[field], <bdi key={field}>{values.join('; ')}</bdi>] as const,
              ),
          ]}
        />
      ) : (
        <p class="quiet">{T.hitGone}</p>
      )}
      <p>
        <a href={formatFragment({ room: 'subject', id: about })}>{T.openSubject}</a>
      </p>
    </section>
  );
}

/** Listed entity of a hit, loaded on request. */
export function WatchedSubject({ id, onSeen }: { id: string; onSeen: () => void }) {
  const [shown, setShown] = useState<RevealedSubjectView>();
  return (
    <section>
      <h2>{T.subject}</h2>
      {shown ? (
        <>
          <p>
            <Code>{shown.reference}</Code>
          </p>
          <Explanation match={shown} />
          <button type="button" class="small" onClick={() => setShown(undefined)}>
            {T.hide}
          </button>
        </>
      ) : (
        <>
          <p class="quiet">{T.subjectHint}</p>
          <WorkButton
            class="small"
            work={async () => {
              setShown(await reviewApi.reveal(id));
              onSeen();
            }}
          >
            {T.reveal}
          </WorkButton>
        </>
      )}
    </section>
  );
}

export function History({ notes }: { notes: readonly NoteView[] }) {
  return (
    <ol class="timeline">
      {notes.map((note, at) => (
        <li key={`${at} ${note.act}`}>
          <span class="when">
            <Time at={note.at} />
          </span>
          <div>
            {note.by !== null && <strong>{note.by} </strong>}
            {describeNote(note)} {note.verdict !== null && <Verdict verdict={note.verdict} />}
            {note.text !== null && note.act !== 'assigned' && <p class="said">{note.text}</p>}
          </div>
        </li>
      ))}
    </ol>
  );
}

function describeNote({ act, text }: NoteView): string {
  return act === 'assigned' && text !== null ? T.notes.assignedTo(text) : T.notes[act];
}
