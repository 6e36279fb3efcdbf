// Hits of a watched subject. Entities and decisions appear once the operator reveals them.
import type { HitView, RevealedWatchedView, SubjectView, WatchedHit } from '@limen/server/console/screening';
import { useState } from 'preact/hooks';
import { screeningApi } from '../../screening-api.ts';
import { TEXTS } from '../../texts.ts';
import { Badge, Time } from '../../ui/parts.tsx';
import { ReasonDialog } from '../../ui/reason-dialog.tsx';
import { MatchCard, ScoreBadge } from './match-card.tsx';

const T = TEXTS.screening.subject;
const PAGE = 20;

interface HitsProps {
  subject: SubjectView;
  revealed: RevealedWatchedView | undefined;
  mayDecide: boolean;
  onChange: () => Promise<void>;
}

type HitDialog = { act: 'confirmed' | 'not_this_subject' | 'withdraw'; hit: WatchedHit };

export function Hits({ subject, revealed, mayDecide, onChange }: HitsProps) {
  const [opened, setOpened] = useState<HitDialog>();
  const [shown, setShown] = useState(PAGE);
  const [waits, setWaits] = useState<'open' | 'proposed'>();
  const full = new Map(revealed?.hits.map((hit) => [hit.id, hit]));
  const decide = async (reason: string) => {
    const { act, hit } = opened!;
    if (act === 'withdraw') await screeningApi.withdraw(subject.id, hit.id, reason);
    else {
      const { state } = await screeningApi.decide(subject.id, hit.id, {
        decision: act,
        reason,
        entryHash: hit.entryHash,
      });
      setWaits(state === 'decided' ? undefined : state);
    }
    setOpened(undefined);
    await onChange();
  };
  return (
    <section>
      <h2>{T.found}</h2>
      {subject.found.length === 0 && <p class="quiet">{T.none}</p>}
      {subject.moreHits && <p class="notice">{T.moreHits}</p>}
      {waits && (
        <p class="notice" role="status">
          {T.waits[waits]}
        </p>
      )}
      <ul class="plain-list">
        {subject.found.slice(0, shown).map((hit) => {
          const match = full.get(hit.id);
          return (
            <li key={hit.id}>
              {match ? (
                <MatchCard match={match.match}>
                  <Standing hit={hit} reason={match.decision?.reason} />
                  {mayDecide && <Acts hit={match} onOpen={(act) => setOpened({ act, hit: match })} />}
                </MatchCard>
              ) : (
                <>
                  <p>
                    <ScoreBadge score={hit.score} /> {T.version(hit.list, hit.listVersion)}
                  </p>
                  <Standing hit={hit} reason={undefined} />
                </>
              )}
            </li>
          );
        })}
      </ul>
      {subject.found.length > shown && (
        <button type="button" onClick={() => setShown(shown + PAGE)}>
          {TEXTS.more}
        </button>
      )}
      {opened && (
        <ReasonDialog
          heading={opened.act === 'withdraw' ? T.withdrawHeading : T.decideHeading[opened.act]}
          text={opened.act === 'withdraw' ? T.withdrawText : T.decideText[opened.act]}
          button={opened.act === 'withdraw' ? T.withdrawButton : T.decideButton[opened.act]}
          work={decide}
          onClose={() => setOpened(undefined)}
        />
      )}
    </section>
  );
}

const TONES = { confirmed: 'bad', not_this_subject: 'good' } as const;

/** Current decision on a hit. */
function Standing({ hit: { decision, foundAt }, reason }: { hit: HitView; reason: string | undefined }) {
  return (
    <p class="standing">
      {decision ? (
        <>
          <Badge tone={TONES[decision.decision]}>{T.decided[decision.decision]}</Badge>{' '}
          <span class="quiet">
            <bdi>{T.by(decision.author)}</bdi>, <Time at={Date.parse(decision.decidedAt)} />
          </span>
        </>
      ) : (
        <>
          <Badge tone="warn">{T.open}</Badge>{' '}
          <span class="quiet">
            {T.foundAt} <Time at={foundAt} />
          </span>
        </>
      )}
      {reason !== undefined && <bdi class="reason">{reason}</bdi>}
    </p>
  );
}

function Acts({ hit, onOpen }: { hit: WatchedHit; onOpen: (act: HitDialog['act']) => void }) {
  const named = (text: string) => `${text} ${hit.match.caption}`;
  const button = (act: HitDialog['act'], text: string) => (
    <button type="button" class="small" aria-label={named(text)} onClick={() => onOpen(act)}>
      {text}
    </button>
  );
  return (
    <p class="row">
      {hit.decision?.decision !== 'confirmed' && button('confirmed', T.confirm)}
      {hit.decision?.decision !== 'not_this_subject' && button('not_this_subject', T.clear)}
      {hit.decision && button('withdraw', T.withdraw)}
    </p>
  );
}
