// Small shared parts.
import type { Recommendation } from '@limen/server/console/sessions';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '../call.ts';
import { formatCode, formatLongTime, formatShortTime } from '../format.ts';
import { TEXTS } from '../texts.ts';

export function Time({ at }: { at: number }) {
  return (
    <time dateTime={new Date(at).toISOString()} title={formatLongTime(at)}>
      {formatShortTime(at)}
    </time>
  );
}

/** Ids, digests and addresses: always left to right. */
export function Code({ children, class: kind }: { children: ComponentChildren; class?: string }) {
  return (
    <code dir="ltr" class={kind}>
      {children}
    </code>
  );
}

type Tone = 'good' | 'warn' | 'bad' | 'quiet' | 'accent';

export function Badge({ tone, children }: { tone: Tone; children: ComponentChildren }) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

const RECOMMENDED: Readonly<Record<Recommendation, Tone>> = { ALLOW: 'good', REVIEW: 'warn', BLOCK: 'bad' };

export function RecommendationBadge({ value }: { value: Recommendation }) {
  return <Badge tone={RECOMMENDED[value]}>{formatCode(value)}</Badge>;
}

export function WorldBadge({ world }: { world: string }) {
  return <Badge tone={world === 'live' ? 'accent' : 'quiet'}>{world}</Badge>;
}

/** Errors that a retry cannot fix. */
function isRefusal(error: Error): boolean {
  return error instanceof ApiError && error.status === 403;
}

/** Confirms the last action if nothing else shows it. */
export function DoneNotice({ children }: { children: ComponentChildren }) {
  return (
    <p class="just-done" role="status">
      {children}
    </p>
  );
}

interface ProblemProps {
  error: Error;
  retry?: () => void;
  /** Clears the filters; undefined if none is set. */
  clear?: (() => void) | undefined;
}

export function Problem({ error, retry, clear }: ProblemProps) {
  // The service's message names its own fields, which mean nothing to a reader of a mistyped address.
  if (clear && error instanceof ApiError && error.status === 400) {
    return (
      <div class="empty" role="alert">
        <p>{TEXTS.badFilter}</p>
        <button type="button" onClick={clear}>
          {TEXTS.sessions.clear}
        </button>
      </div>
    );
  }
  return (
    <div class="problem" role="alert">
      <p>{error.message}</p>
      {retry && !isRefusal(error) && (
        <button type="button" onClick={retry}>
          {TEXTS.retry}
        </button>
      )}
    </div>
  );
}

export function CopyButton({ text, label = TEXTS.copy }: { text: string; label?: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => {}, // the browser itself reports a refusal
    );
  };
  return (
    <button type="button" class="small" onClick={copy} onBlur={() => setCopied(false)}>
      <span aria-live="polite">{isCopied ? TEXTS.copied : label}</span>
    </button>
  );
}

interface DialogProps {
  heading: string;
  onClose: () => void;
  children: ComponentChildren;
  /** Disables Escape, for content that must not be lost. */
  stays?: boolean;
}

/** The native dialog element: traps focus, closes with Escape and restores focus. */
export function Dialog({ heading, onClose, children, stays = false }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby="dialog-heading"
      onCancel={(event) => stays && event.preventDefault()}
      onClose={onClose}
    >
      <h2 id="dialog-heading">{heading}</h2>
      {children}
    </dialog>
  );
}

/** Buttons of a dialog that only shows information. */
export function CloseRow({ text, onClose }: { text: string; onClose: () => void }) {
  return (
    <div class="row end">
      <button type="button" class="primary" onClick={onClose}>
        {text}
      </button>
    </div>
  );
}

interface WorkButtonProps {
  work: () => Promise<void>;
  children: ComponentChildren;
  class?: string;
  /** True if there is nothing to act on yet. */
  isOff?: boolean;
}

/** Runs an async action once at a time and shows its error next to the button. */
export function useAction(): [isBusy: boolean, problem: Error | undefined, run: (work: () => Promise<void>) => void] {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Error>();
  const run = (work: () => Promise<void>) => {
    setBusy(true);
    setProblem(undefined);
    work()
      .catch((error: Error) => setProblem(error))
      .finally(() => setBusy(false));
  };
  return [isBusy, problem, run];
}

export function WorkButton({ work, children, class: kind, isOff = false }: WorkButtonProps) {
  const [isBusy, problem, run] = useAction();
  return (
    <>
      <button type="button" class={kind} disabled={isBusy || isOff} onClick={() => run(work)}>
        {children}
      </button>
      {problem && (
        <span class="inline-problem" role="alert">
          {problem.message}
        </span>
      )}
    </>
  );
}

interface ConfirmProps {
  heading: string;
  text: string;
  button: string;
  work: () => Promise<void>;
  onClose: () => void;
}

/** Confirms an irreversible action. */
export function Confirm({ heading, text, button, work, onClose }: ConfirmProps) {
  return (
    <Dialog heading={heading} onClose={onClose}>
      <p>{text}</p>
      <div class="row end">
        <button type="button" onClick={onClose}>
          {TEXTS.cancel}
        </button>
        <WorkButton class="danger" work={work}>
          {button}
        </WorkButton>
      </div>
    </Dialog>
  );
}
