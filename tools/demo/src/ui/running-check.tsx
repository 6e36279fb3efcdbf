// A check from start to result, kept up to date while the person completes it elsewhere.
import type { ComponentChildren, RefObject } from 'preact';
import type { CheckView } from '../../server/check-view.ts';
import { explainDecision, type Result } from '../explain-decision.ts';
import { fetchResult } from '../host.ts';
import type { Asked } from '../outcomes.ts';
import { hasEnded } from '../timeline.ts';
import { LaunchPanel } from './launch-panel.tsx';
import { Notice } from './notice.tsx';
import { Stations } from './stations.tsx';
import { WirePanels } from './wire-panels.tsx';

interface Running {
  check: CheckView;
  /** Whether the person was redirected here. */
  isBack: boolean;
  heading: RefObject<HTMLHeadingElement | null>;
  onLeave(): void;
  onProblem(text: string): void;
  children: ComponentChildren;
}

export function RunningCheck({ check, isBack, heading, onLeave, onProblem, children }: Running) {
  const ask = () => {
    fetchResult(check.id).catch((error: unknown) => onProblem(error instanceof Error ? error.message : String(error)));
  };
  return (
    <>
      <div class="heading">
        <h1 ref={heading} tabIndex={-1}>
          {hasEnded(check) ? 'The check has ended' : 'The check is running'}
        </h1>
        <button type="button" class="secondary" onClick={onLeave}>
          New check
        </button>
      </div>
      {isBack && (
        <Notice tone="info">
          The launch page sent you back here, to your{' '}
          <code>{check.kind === 'age' ? 'redirectUrl' : 'redirectURL'}</code>. It carries no result: that comes by
          webhook.
        </Notice>
      )}
      <Stations check={check} />
      <Verdict check={check} />
      {!hasEnded(check) && check.launchUrl !== null && (
        <LaunchPanel id={check.id} launchUrl={check.launchUrl} asked={askedBy(check)} refusal={refusalOf(check)} />
      )}
      <WirePanels check={check}>
        <p>
          <button type="button" class="secondary" onClick={ask}>
            Ask for the result now
          </button>
        </p>
      </WirePanels>
      {children}
    </>
  );
}

function Verdict({ check: { result } }: { check: CheckView }) {
  const body = result?.reply?.status === 200 ? (result.reply.body as Result) : undefined;
  const explanation = body && explainDecision(body);
  if (!explanation) return null;
  return (
    <section class={`verdict verdict-${explanation.answer}`} aria-labelledby="verdict-title">
      <h2 id="verdict-title">{explanation.title}</h2>
      <p>{explanation.why}</p>
      <dl>
        {factsOf(body).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value ?? '–'}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function factsOf(result: Result): (readonly [string, string | undefined])[] {
  const risk = ['recommendation', result.riskEvaluation?.recommendation] as const;
  return 'sessionStatus' in result
    ? [['sessionStatus', result.sessionStatus], risk, ['flowStatus', result.flowStatus]]
    : [['status', result.status], risk, ['puid', result.puid]];
}

function askedBy({ create }: CheckView): Asked {
  return (create?.request.body ?? {}) as Asked;
}

function refusalOf({ simulate }: CheckView): string | null {
  if (simulate?.reply == null || simulate.reply.status < 400) return null;
  const { message } = (simulate.reply.body ?? {}) as { message?: string };
  return message ?? `The service answered ${simulate.reply.status}.`;
}
