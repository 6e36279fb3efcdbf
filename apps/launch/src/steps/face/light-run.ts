// Shows the colours that the service drew, one after the other, while the camera looks at what they do to the face: a
// round of them, and another where the first did not tell.
import { allColours, type LightColour, type LightFinding, type LightPlan } from '@limen/plan';
import type { CaptureScreen, Screen } from '../../course/screens.ts';
import { FADE_MS, type ShownColour, toCss } from '../../face/light/colours.ts';
import { type LightJudgement, mayTellMore } from '../../face/light/judge-light.ts';

/** Whether the person wants the screen to change its colour. */
export interface ColourWishes {
  isLeftOut(): boolean;
  /** When they leave the colours out while those are shown; the result stops it. */
  onLeftOut(callback: () => void): () => void;
}

export interface LightRun {
  /** On the screen now; null before and after. */
  readonly colour: LightColour | null;
  readonly hasBegun: boolean;
  /** The person wants none of it, or all were shown and the slowest camera has seen the last of them. */
  readonly isOver: boolean;
  /** Some colours were shown and the person stopped them: by the log it is all or none, so that all has to begin again. */
  readonly isCutShort: boolean;
  begin(): void;
  /** The screen in the colour of the moment. It is the one that the next colours are shown on. */
  tint(screen: CaptureScreen): CaptureScreen;
  finding(): Promise<LightFinding>;
  /** Back to before the first colour. */
  clear(): void;
  /** For good. */
  stop(): void;
}

interface LightRunOptions {
  light: LightPlan;
  colours: ColourWishes;
  record(event: 'lit', position: number): void;
  show(screen: Screen): void;
  judge(shown: readonly ShownColour[]): Promise<LightJudgement>;
  now(): number;
  after(delayMs: number, callback: () => void): () => void;
}

/** The last colour stays until the slowest camera has seen it. */
const AFTER_MS = 350;

export function createLightRun(options: LightRunOptions): LightRun {
  const { light, colours, record, judge, now, after } = options;
  const all = allColours(light);
  const shown: ShownColour[] = [];
  /** Of the last round that was shown. */
  let judging: Promise<LightJudgement> | null = null;
  let isDeclined = colours.isLeftOut();
  let colour: LightColour | null = null;
  let isOver = false;
  let screen: CaptureScreen | null = null;
  let stopTimer: () => void = () => undefined;
  const stopListening = colours.onLeftOut(() => {
    isDeclined = true;
    putOut();
  });

  function tint(plain: CaptureScreen): CaptureScreen {
    screen = plain;
    return colour ? { ...plain, prompt: 'guide.colours', tone: 'do', light: toCss(colour) } : plain;
  }

  function turnTo(next: LightColour | null): void {
    colour = next;
    if (screen) options.show(tint(screen));
  }

  function putOut(): void {
    stopTimer();
    if (colour !== null) turnTo(null);
  }

  function showNext(): void {
    const position = shown.length;
    const next = all[position]!;
    turnTo(next);
    // The first one is there for a while before it counts: eyes and camera get used to it.
    stopTimer = after(position === 0 ? light.colourMs : FADE_MS, () => {
      shown.push({ colour: next, at: now() });
      record('lit', position);
      const isLastOfRound = [light.colours.length, all.length].includes(shown.length);
      // The next one begins to fade in before this one's time is over.
      stopTimer = isLastOfRound
        ? after(light.colourMs + AFTER_MS, () => void judgeRound())
        : after(light.colourMs - FADE_MS, showNext);
    });
  }

  /** The last colour stays meanwhile: it is what the next round begins from. */
  async function judgeRound(): Promise<void> {
    const mine = judge([...shown]);
    judging = mine;
    const judgement = await mine.catch(() => null);
    if (judging !== mine || isDeclined) return;
    if (judgement && mayTellMore(judgement) && shown.length < all.length) return showNext();
    isOver = true;
    turnTo(null);
  }

  return {
    get colour() {
      return colour;
    },
    get hasBegun() {
      return colour !== null || isOver;
    },
    get isOver() {
      return isOver || isDeclined;
    },
    get isCutShort() {
      return isDeclined && shown.length > 0;
    },
    begin() {
      if (!isDeclined) showNext();
    },
    tint,
    async finding() {
      return isDeclined || !judging ? 'declined' : (await judging).finding;
    },
    clear() {
      shown.length = 0;
      judging = null;
      isOver = false;
      putOut();
    },
    stop() {
      stopListening();
      stopTimer();
    },
  };
}
