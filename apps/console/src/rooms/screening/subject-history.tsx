// What happened to a watched subject, newest first: list versions, scores, decisions, and why once it was asked for.
import type { HistoryView, RevealedHistoryView, SubjectView } from '@limen/server/console/screening';
import { useState } from 'preact/hooks';
import { screeningApi } from '../../screening-api.ts';
import { TEXTS } from '../../texts.ts';
import { Time, WorkButton } from '../../ui/parts.tsx';
import { Explanation } from './match-card.tsx';

const T = TEXTS.screening.subject;

type Told = RevealedHistoryView['history'][number];

export function SubjectHistory({ subject, isRevealed }: { subject: SubjectView; isRevealed: boolean }) {
  const [entries, setEntries] = useState(subject.history);
  const [next, setNext] = useState(subject.next);
  const [told, setTold] = useState<ReadonlyMap<string, Told>>(new Map());

  const showMore = async () => {
    const more = await screeningApi.history(subject.id, { after: next });
    setEntries([...entries, ...more.history]);
    setNext(more.next);
  };
  /** Of all that are shown. */
  const explain = async () => {
    const found = new Map<string, Told>();
    for (let after: string | undefined; found.size < entries.length; ) {
      const page = await screeningApi.revealHistory(subject.id, { after });
      for (const one of page.history) found.set(one.id, one);
      after = page.next;
      if (after === undefined) break;
    }
    setTold(found);
  };

  return (
    <section>
      <h2>{T.history}</h2>
      {entries.length === 0 && <p class="quiet">{T.noHistory}</p>}
      {isRevealed && entries.length > 0 && told.size === 0 && (
        <WorkButton class="small" work={explain}>
          {T.explain}
        </WorkButton>
      )}
      <ol class="timeline">
        {entries.map((entry) => (
          <li key={entry.id}>
            <span class="when">
              <Time at={entry.at} />
            </span>
            <Entry entry={entry} told={isRevealed ? told.get(entry.id) : undefined} />
          </li>
        ))}
      </ol>
      {next !== undefined && (
        <WorkButton class="small" work={showMore}>
          {TEXTS.more}
        </WorkButton>
      )}
    </section>
  );
}

const FIELD_NAMES: Readonly<Record<string, string>> = {
  ...T.fields,
  dataset: T.dataset,
  scoreThreshold: T.threshold,
  callback: T.callback,
};

function fieldName(field: string): string {
  return FIELD_NAMES[field] ?? field;
}

function Entry({ entry, told }: { entry: HistoryView; told: Told | undefined }) {
  const { kind, list, listVersion, score, before, because, decision, withdrawnBy, fields } = entry;
  const isMade = kind === 'decision';
  return (
    <div>
      <p>
        {T.kinds[kind]}
        {isMade && decision && `: ${T.decided[decision.decision]}`}
        {score !== null && <strong> {T.scores(before, score)}</strong>}
      </p>
      <p class="quiet small-text">
        {isMade && decision && <bdi>{T.by(decision.author)}</bdi>}
        {withdrawnBy !== null && <bdi>{T.by(withdrawnBy)}</bdi>}
        {list !== null && T.version(list, listVersion ?? '')}
        {fields.map(fieldName).join(', ')}
        {because.map((reason) => `; ${T.because[reason] ?? reason}`)}
        {!isMade && withdrawnBy === null && decision && `; ${T.lapsed}`}
      </p>
      {told?.kind === 'subject_changed' &&
        told.changes.map(({ field, removed, added }) => (
          <p key={field} class="small-text">
            {fieldName(field)}: <bdi>{T.changed(removed, added)}</bdi>
          </p>
        ))}
      {told && 'match' in told && (
        <>
          <p>
            <bdi>{told.match.caption}</bdi>
          </p>
          <Explanation match={told.match} />
        </>
      )}
      {told && 'decision' in told && (
        <p>
          <bdi>{'reason' in told ? told.reason : told.decision.reason}</bdi>
        </p>
      )}
    </div>
  );
}
