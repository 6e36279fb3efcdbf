// One case: reason, history and decision.
import type { Permission } from '@limen/server/console';
import type { CaseView, Verdict as Decision } from '@limen/server/console/review';
import type { RefObject } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { formatFragment, navigate } from '../../address.ts';
import { ApiError } from '../../call.ts';
import { formatLongTime } from '../../format.ts';
import { submitOnShortcut, useShortcuts } from '../../keyboard.ts';
import { setNotice, takeNotice } from '../../notice.ts';
import { reviewApi } from '../../review-api.ts';
import { TEXTS } from '../../texts.ts';
import { FilterSelect } from '../../ui/lists.tsx';
import { Badge, DoneNotice, Problem, useAction, WorldBadge } from '../../ui/parts.tsx';
import { ReasonDialog } from '../../ui/reason-dialog.tsx';
import { useLoad } from '../../use-load.ts';
import { useHeading } from '../use-heading.ts';
import { AboutCase, CaseFacts, Course, History, Reasons, Verdict, WatchedSubject } from './case-parts.tsx';
import { describeVerdict, formatVerdict, orderVerdicts } from './judging.ts';
import { neighborOf } from './queue-order.ts';

const R = TEXTS.review;
const T = R.case;
const LIST = { room: 'review', filters: {} } as const;

export function CaseRoom({ id, permissions }: { id: string; permissions: readonly Permission[] }) {
  const heading = useHeading(`${R.heading} ${id.slice(-8)}`);
  const { value: found, problem, reload, set } = useLoad(id, () => reviewApi.case(id));
  const [notice] = useState(() => takeNotice(id));
  const mayDecide = permissions.includes('review.decide');
  const reviewers = useLoad('reviewers', async () => (mayDecide ? reviewApi.reviewers() : []));
  const [judging, setJudging] = useState<Decision>();
  const [isBusy, workProblem, run] = useAction();
  const comment = useRef<HTMLTextAreaElement>(null);
  const isWaiting = found !== undefined && found.state !== 'decided' && !found.isUnreadable;
  /** Case whose subject was revealed. A hit can be decided only after its subject was seen. */
  const [seen, setSeen] = useState<string>();
  const isSeen = found?.kind !== 'hit' || seen === id;
  const canDecide = mayDecide && isWaiting && isSeen && !found.proposed?.isMine;

  const take = () =>
    run(async () => {
      // Retries if the shortcut was pressed before the list arrived.
      const me = (reviewers.value ?? (await reviewApi.reviewers())).find(({ isMe }) => isMe);
      if (found && me) set(await reviewApi.assign(id, found.assignee?.isMe ? null : me.id));
    });
  const choices = found ? orderVerdicts(found) : [];
  const judge = (at: number) => canDecide && setJudging(choices[at]);
  useCaseKeys(
    id,
    reload,
    mayDecide && {
      t: () => isWaiting && take(),
      c: () => comment.current?.focus(),
      1: () => judge(0),
      2: () => judge(1),
    },
  );
  const send = (text: string, after: () => void) =>
    run(async () => {
      set(await reviewApi.comment(id, text));
      after();
    });

  return (
    <>
      <p class="crumb">
        <a href={formatFragment(LIST)}>{T.back}</a>
      </p>
      {notice !== undefined && <DoneNotice>{notice}</DoneNotice>}
      <h1 ref={heading} tabIndex={-1}>
        {found ? T[found.kind] : R.heading}
      </h1>
      {problem && <Problem error={isGone(problem) ? new Error(T.gone) : problem} retry={reload} />}
      {found && (
        <>
          <CaseHead found={found} isWaiting={isWaiting} />
          {found.isUnreadable && <Problem error={new Error(T.unreadable)} />}
          <div class="columns">
            <div>
              <Reasons found={found} />
              <Course found={found} />
              {found.kind === 'hit' && found.entity && mayDecide && (
                <WatchedSubject key={id} id={id} onSeen={() => setSeen(id)} />
              )}
            </div>
            <div>
              <section>
                <h2>{T.decide}</h2>
                <Standing found={found} />
                {mayDecide && isWaiting && !isSeen && <p class="quiet">{T.seeFirst}</p>}
                {canDecide && <Verdicts found={found} judge={setJudging} />}
                {mayDecide && isWaiting && (
                  <Assignment
                    found={found}
                    reviewers={reviewers.value ?? []}
                    isBusy={isBusy}
                    take={take}
                    assign={(assigneeId) => run(async () => set(await reviewApi.assign(id, assigneeId)))}
                  />
                )}
                {workProblem && <Problem error={workProblem} />}
                {mayDecide && (
                  <p class="quiet small-text by-keyboard">
                    {!isWaiting ? T.keysAfter : canDecide && found.proposed ? T.keysSecond : T.keys}
                  </p>
                )}
              </section>
              <CaseFacts key={id} found={found} mayReveal={mayDecide} />
              <section>
                <h2>{T.history}</h2>
                <History notes={found.notes} />
                {mayDecide && !found.isUnreadable && <CommentForm field={comment} isBusy={isBusy} send={send} />}
              </section>
            </div>
          </div>
        </>
      )}
      {judging && found && (
        <Judging id={id} found={found} verdict={judging} onDone={set} onClose={() => setJudging(undefined)} />
      )}
    </>
  );
}

function isGone(problem: unknown): boolean {
  return problem instanceof ApiError && problem.status === 404;
}

function useCaseKeys(id: string, reload: () => void, deciding: Parameters<typeof useShortcuts>[0] | false): void {
  const goBy = (by: 1 | -1) => {
    const next = neighborOf(id, by);
    if (next !== undefined) navigate({ room: 'case', id: next });
  };
  useShortcuts({ u: () => navigate(LIST), r: reload, j: () => goBy(1), k: () => goBy(-1), ...deciding });
}

interface JudgingProps {
  id: string;
  found: CaseView;
  verdict: Decision;
  onDone: (decided: CaseView) => void;
  onClose: () => void;
}

/** Asks for the reason of a verdict, then opens the next case. */
function Judging({ id, found, verdict, onDone, onClose }: JudgingProps) {
  const decide = async (reason: string) => {
    const { entity } = found;
    const decided = await reviewApi.decide(id, {
      verdict,
      reason,
      ...(entity && { entryHash: entity.entryHash }),
    });
    onClose();
    onDone(decided);
    const next = neighborOf(id, 1);
    if (decided.state !== 'decided' || next === undefined) return;
    setNotice(next, T.saved(R.decided[verdict]));
    navigate({ room: 'case', id: next });
  };

  return (
    <ReasonDialog
      {...describeVerdict(found, verdict)}
      button={formatVerdict(found, verdict)}
      work={decide}
      onClose={onClose}
    />
  );
}

function CaseHead({ found, isWaiting }: { found: CaseView; isWaiting: boolean }) {
  return (
    <p class="verdict">
      <strong>
        <AboutCase row={found} />
      </strong>{' '}
      <WorldBadge world={found.world} /> {found.verdict !== null && <Verdict verdict={found.verdict} />}
      {isWaiting && <span class="quiet">{T.due(formatLongTime(found.dueAt))}</span>}
      {found.isOverdue && <Badge tone="bad">{R.late}</Badge>}
    </p>
  );
}

function Verdicts({ found, judge }: { found: CaseView; judge: (verdict: Decision) => void }) {
  return (
    <div class="row">
      {orderVerdicts(found).map((verdict) => (
        <button key={verdict} type="button" onClick={() => judge(verdict)}>
          {formatVerdict(found, verdict)}…
        </button>
      ))}
    </div>
  );
}

interface AssignmentProps {
  found: CaseView;
  reviewers: readonly { id: string; name: string }[];
  isBusy: boolean;
  take: () => void;
  assign: (operator: string | null) => void;
}

function Assignment({ found, reviewers, isBusy, take, assign }: AssignmentProps) {
  return (
    <div class="row assign">
      <button type="button" disabled={isBusy} onClick={take}>
        {found.assignee?.isMe ? T.release : T.take}
      </button>
      <FilterSelect
        label={T.assign}
        value={found.assignee?.id}
        options={reviewers.map(({ id, name }) => [id, name])}
        all={R.nobody}
        choose={(id) => assign(id === '' ? null : id)}
      />
    </div>
  );
}

interface CommentFormProps {
  field: RefObject<HTMLTextAreaElement | null>;
  isBusy: boolean;
  send: (text: string, after: () => void) => void;
}

function CommentForm({ field, isBusy, send }: CommentFormProps) {
  const say = (event: Event) => {
    event.preventDefault();
    const text = field.current!;
    send(text.value, () => {
      text.value = '';
      // The button was disabled during the request and so lost focus.
      text.focus();
    });
  };
  return (
    <form onSubmit={say} onKeyDown={submitOnShortcut}>
      <label>
        {T.comment}
        <textarea ref={field} required maxLength={2000} rows={2} />
      </label>
      <button type="submit" class="small" disabled={isBusy}>
        {T.addComment}
      </button>
    </form>
  );
}

/** State of the decision. */
function Standing({ found: { proposed, decided, eyes } }: { found: CaseView }) {
  if (decided) {
    return (
      <>
        <p>{T.decidedBy(decided.by, R.decided[decided.verdict])}</p>
        <p class="said">{decided.reason}</p>
      </>
    );
  }
  if (proposed) {
    return (
      <div class="proposal">
        <p>
          <strong>{T.proposed(proposed.by, R.decided[proposed.verdict])}</strong>
        </p>
        <p class="said">{proposed.reason}</p>
        <p class="quiet">{proposed.isMine ? T.waitsForOther : T.agreeHint}</p>
      </div>
    );
  }
  return eyes === 2 ? <p class="quiet">{T.needsEyes}</p> : null;
}
