// The demo's page: choose, start, watch.

import { useEffect, useRef, useState } from 'preact/hooks';
import { CHECK_MINUTES, type CheckView, type DemoSetup, MAX_CHECKS } from '../server/check-view.ts';
import { followCheck, getSetup, HostError, startCheck } from './host.ts';
import { DEFAULT_OPTIONS, type Options } from './options.ts';
import { sampleCode } from './sample-code.ts';
import { isRefused } from './timeline.ts';
import { CodePanel } from './ui/code-panel.tsx';
import { Notice } from './ui/notice.tsx';
import { OptionsForm, StartButton } from './ui/options-form.tsx';
import { PurposeChoice } from './ui/purpose-choice.tsx';
import { RunningCheck } from './ui/running-check.tsx';
import type { Purpose } from './verification-options.ts';

/** `#id` names a check, `#id/back` one from which the person was redirected. */
const FRAGMENT = /^#([0-9a-f-]{36})(\/back)?$/;

export function App() {
  const [setup, setSetup] = useState<DemoSetup | null>(null);
  const [options, setOptions] = useState<Options>(DEFAULT_OPTIONS);
  const [check, setCheck] = useState<CheckView | null>(null);
  const [followed, setFollowed] = useState<string | null>(() => FRAGMENT.exec(location.hash)?.[1] ?? null);
  const [isBack] = useState(() => FRAGMENT.exec(location.hash)?.[2] !== undefined);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const heading = useRef<HTMLHeadingElement>(null);

  useEffect(() => {
    if (followed === null) return;
    return followCheck(followed, setCheck, () => {
      leave();
      setProblem(
        `The demo no longer has this check. It keeps the last ${MAX_CHECKS} for ${CHECK_MINUTES} minutes and forgets them when it restarts.`,
      );
    });
  }, [followed]);

  const shown = check !== null && check.id === followed ? check : null;
  const running = shown !== null && !isRefused(shown);

  // Reloaded before each new check, because the last one may have enrolled a person.
  useEffect(() => {
    if (!running) getSetup().then(setSetup, (error: unknown) => setProblem(textOf(error)));
  }, [running]);

  // Moves the focus to the new view, except for the first one, which the browser announces.
  const wasRunning = useRef(running);
  useEffect(() => {
    if (wasRunning.current !== running) heading.current?.focus();
    wasRunning.current = running;
  }, [running]);

  function leave(): void {
    setFollowed(null);
    setCheck(null);
    history.replaceState(null, '', location.pathname);
  }

  function choose(purpose: Purpose): void {
    leave(); // a refusal belonged to another view
    // The last enrolled person is most likely in front of the camera.
    setOptions({ ...options, purpose, userId: setup?.people[0]?.puid ?? options.userId });
  }

  async function start(): Promise<void> {
    setBusy(true);
    setProblem(null);
    try {
      const started = await startCheck(options);
      setCheck(started);
      setFollowed(started.id);
      // A reload shows the same check again. A refused one is shown only once.
      if (!isRefused(started)) history.replaceState(null, '', `#${started.id}`);
    } catch (error) {
      setProblem(textOf(error));
    }
    setBusy(false);
  }

  const code = <CodePanel code={sampleCode(options, setup?.baseUrl ?? location.origin)} />;
  return (
    <>
      <header class="top">
        <a class="brand" href="./">
          <Mark />
          Limen
        </a>
        <p>Demo host application, for development only</p>
      </header>
      <main>
        {problem !== null && <Notice tone="bad">{problem}</Notice>}
        {setup?.hasKey === false && (
          <Notice tone="warn">
            This service runs on PostgreSQL and has no development key. Start it with <code>DEV_API_KEY</code> set to
            use the demo.
          </Notice>
        )}
        {setup?.webhooksArrive === false && (
          <Notice tone="warn">
            <code>WEBHOOK_ALLOW_PRIVATE</code> is off, so no webhook can reach this demo. Ask for the result instead.
          </Notice>
        )}
        {running ? (
          <RunningCheck check={shown} isBack={isBack} heading={heading} onLeave={leave} onProblem={setProblem}>
            {code}
          </RunningCheck>
        ) : (
          <>
            <h1 ref={heading} tabIndex={-1}>
              Try a check
            </h1>
            <p class="lead">
              This page stands in for your application. Choose what to ask for, start a check, and see the request, the
              webhook and the result side by side.
            </p>
            <PurposeChoice chosen={options.purpose} onChoose={choose} />
            <div class="choose">
              <OptionsForm
                options={options}
                setup={setup}
                busy={busy}
                onChange={setOptions}
                onStart={() => void start()}
              />
              <div class="beside">
                <StartButton busy={busy} refused={shown?.create ?? null} />
                {code}
              </div>
            </div>
          </>
        )}
      </main>
    </>
  );
}

function Mark() {
  return (
    <svg viewBox="0 0 64 64" width="28" height="28" aria-hidden="true">
      <rect class="mark-ground" width="64" height="64" rx="14" />
      <path class="mark-line" d="M18 50V28a14 14 0 0 1 28 0v22M12 50h40" />
    </svg>
  );
}

function textOf(error: unknown): string {
  return error instanceof HostError ? error.message : 'Something unexpected happened. See the console for details.';
}
