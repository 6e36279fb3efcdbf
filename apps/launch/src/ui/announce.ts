// Texts for screen readers, and their rate limit: findings change many times a second.
import type {
  CaptureScreen,
  EndScreen,
  HandoffScreen,
  KeptAge,
  ReturnCodeScreen,
  Screen,
  StepName,
} from '../course/screens.ts';
import type { TextKey, Translator } from '../i18n/index.ts';
import { getExplanation } from './headings.ts';

type DocumentProblemScreen = Extract<Screen, { name: 'document_problem' }>;
type NotRecognizedScreen = Extract<Screen, { name: 'not_recognized' }>;
type LoadingScreen = Extract<Screen, { name: 'loading' }>;

/** Minimum time between two announcements. */
const PAUSE_MS = 1500;

/** Shows a text at once after a quiet period, else only the last of several. */
export function createAnnouncer(show: (texts: readonly string[]) => void) {
  let wanted: readonly string[] = [];
  let shown = '';
  let timer: ReturnType<typeof setTimeout> | undefined;

  function next(): void {
    timer = undefined;
    const key = wanted.join('\n');
    if (key === shown) return;
    shown = key;
    show(wanted);
    // Removing a text is silent and needs no pause.
    if (key !== '') timer = setTimeout(next, PAUSE_MS);
  }

  return {
    /** Announces the texts; an empty list for none. */
    say(texts: readonly string[]): void {
      wanted = texts;
      if (timer === undefined) next();
    },
    stop: (): void => clearTimeout(timer),
  };
}

/** Omits the heading, which is focused and therefore read when the screen changes. */
export function listAnnouncements(screen: Screen, words: Translator): string[] {
  switch (screen.name) {
    case 'loading':
      return [
        loadingText({ ...screen, share: screen.share === null ? null : Math.floor(screen.share * 4) / 4 }, words),
      ];
    case 'capture': {
      if (screen.paused) return [words.text('error.hidden')];
      const movement = screen.tone === 'do' && movementText(screen, words);
      return [words.text(screen.prompt), ...(movement ? [movement] : [])];
    }
    case 'document_capture': {
      if (screen.paused) return [words.text('error.hidden')];
      // The side is a separate text, so that it is only read when it changes.
      const side = sideText(screen.progress, words);
      return [words.text(screen.prompt), ...(side ? [side] : [])];
    }
    case 'not_recognized':
    case 'document_problem': {
      const tries = triesText(screen, words);
      return [words.text(getExplanation(screen)!), ...(tries ? [tries] : [])];
    }
    case 'wait':
      return [words.text(getExplanation(screen)!), waitText(screen, words)];
    case 'end':
      return [
        words.text(getExplanation(screen)!),
        ...endWaitText(screen, words),
        ...(screen.returnCode ? [spellOut(screen.returnCode)] : []),
        ...(screen.keep ? [keepText(screen.keep, words)] : []),
        ...(screen.isHeld && screen.redirectUrl ? [screen.redirectUrl] : []),
      ];
    case 'working':
      return [words.text(screen.offline ? 'working.offline' : getExplanation(screen)!)];
    case 'handoff':
      return [
        words.text(handoffText(screen)),
        ...(screen.state === 'code' ? [`${words.text('handoff.number')}: ${screen.number}`] : []),
        ...followedText(screen, words),
      ];
    case 'wallet_link':
      return [...(screen.opensHere ? [] : [words.text('link.scan')]), words.text('link.waiting')];
    case 'return_code':
      return returnErrors(screen, words);
    default: {
      const key = getExplanation(screen);
      return key ? [words.text(key)] : [];
    }
  }
}

export function loadingText({ share, unready, of = 'face' }: LoadingScreen, words: Translator): string {
  if (unready) return words.text('loading.unready');
  if (share === null) return words.text('loading.starting');
  return words.text(of === 'face' ? 'loading.models' : 'loading.document', { percent: words.percent(share) });
}

/** Returns null before the first movement, after the last, and during the screen's light. */
export function movementText({ progress, light }: CaptureScreen, words: Translator): string | null {
  if (!progress || light || progress.share >= 1) return null;
  const { number, total } = progress;
  return words.text('challenge.progress', { number, total });
}

/** Returns an empty text if there is only one side. */
export function sideText({ number, total }: { number: number; total: number }, words: Translator): string {
  return total > 1 ? words.text('scan.progress', { number, total }) : '';
}

export function handoffText({ state, reason }: HandoffScreen): TextKey {
  if (state === 'following') return 'handoff.following';
  if (state === 'old_code') return 'handoff.codeOldHeading';
  if (state === 'other_number') return 'handoff.otherNumber';
  if (state === 'declined') return 'handoff.declined';
  return reason === 'desktop' ? 'handoff.desktop' : 'handoff.scan';
}

const STEPS: Readonly<Record<StepName, TextKey>> = {
  face: 'step.face',
  identity_document: 'step.identityDocument',
  token: 'step.token',
  contact: 'step.contact',
  passkey: 'step.passkey',
};

/** Returns the progress of the phone, if any. */
export function followedText({ followed }: HandoffScreen, words: Translator): string[] {
  if (followed === 'waiting') return [];
  if (followed === 'opened') return [words.text('handoff.opened')];
  return [words.text('handoff.step', { step: words.text(STEPS[followed]) })];
}

/** Returns null if no try was used up, as for a file that is no picture. */
export function triesText(screen: DocumentProblemScreen | NotRecognizedScreen, words: Translator): string | null {
  if ('problem' in screen && screen.problem === 'unusable_file') return null;
  return words.text('problem.triesLeft', { count: screen.triesLeft });
}

export function waitText({ minutesLeft }: { minutesLeft: number }, words: Translator): string {
  return minutesLeft === 0 ? words.text('wait.over') : words.text('wait.minutes', { count: minutesLeft });
}

/** Spells the digits out. Otherwise screen readers read one large number. */
export function spellOut(code: string): string {
  return [...code].join(' ');
}

/** Describes the fault of the typed code and the remaining tries. */
export function returnErrors({ state, triesLeft }: ReturnCodeScreen, words: Translator): string[] {
  if (state === 'incomplete') return [words.text('return.incomplete')];
  if (state !== 'wrong') return [];
  return [words.text('return.wrong'), words.text('problem.triesLeft', { count: triesLeft })];
}

export function keepText({ ageOver, state }: KeptAge, words: Translator): string {
  if (state === 'kept') return words.text('keep.done');
  return state === 'failed' ? words.text('passkey.closed') : words.text('keep.ask', { age: ageOver });
}

/** Returns a text only if the session ended after too many tries. */
export function endWaitText({ minutesLeft }: EndScreen, words: Translator): string[] {
  return minutesLeft === undefined ? [] : [waitText({ minutesLeft }, words)];
}

export function isolate(name: string): string {
  return `\u2068${name}\u2069`;
}
