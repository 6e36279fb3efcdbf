// History of a watched subject, newest first. Explanations are loaded on request.
import type { HistoryView, RevealedHistoryView, SubjectView } from '@limen/server/console/screening';
import { useState } from 'preact/hooks';
import { screeningApi } from '../../screening-api.ts';
import { TEXTS } from '../../texts.ts';
import { Time, WorkButton } from '../../ui/parts.tsx';
import { Explanation } from './match-card.tsx';

const T = TEXTS.screening.subject;

type RevealedEntry = RevealedHistoryView['history'][number];

export function SubjectHistory({ subject, isRevealed }: { subject: SubjectView; isRevealed: boolean }) {
  const [entries, setEntries] = useState(subject.history);
  const [next, setNext] = useState(subject.next);
  const [revealed, setRevealed] = useState<ReadonlyMap<string, RevealedEntry>>(new Map());

  const showMore = async () => {
    const more = await screeningApi.history(subject.id, { after: next });
    setEntries([...entries, ...more.history]);
    setNext(more.next);
  };
  /** Explanations of all shown entries. */
  const explain = async () => {
    const found = new Map<string, RevealedEntry>();
    for (let after: string | undefined; found.size < entries.length; ) {
      const page = await screeningApi.revealHistory(subject.id, { after });
      for (const entry of page.history) found.set(entry.id, entry);
      after = page.next;
      if (after === undefined) break;
    }
    setRevealed(found);
  };

  return (
    <section>
      <h2>{T.history}</h2>
      {entries.length === 0 && <p class="quiet">{T.noHistory}</p>}
      {isRevealed && entries.length > 0 && revealed.size === 0 && (
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
            <Entry entry={entry} revealed={isRevealed ? revealed.get(entry.id) : undefined} />
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

function Entry({ entry, revealed }: { entry: HistoryView; revealed: RevealedEntry | undefined }) {
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
      {revealed?.kind === 'subject_changed' &&
        revealed.changes.map(({ field, removed, added }) => (
          <p key={field} class="small-text">
            {fieldName(field)}: <bdi>{T.changed(removed, added)}</bdi>
          </p>
        ))}
      {revealed && 'match' in revealed && (
        <>
          <p>
            <bdi>{revealed.match.caption}</bdi>
          </p>
          <Explanation match={revealed.match} />
        </>
      )}
      {revealed && 'decision' in revealed && (
        <p>
          <bdi>{'reason' in revealed ? revealed.reason : revealed.decision.reason}</bdi>
        </p>
      )}
    </div>
  );
}
