// Shows the colours that the service drew, one after the other, while the camera looks at what they do to the face.
import type { LightColour, LightFinding, LightPlan } from '@limen/plan';
import type { CaptureScreen, Screen } from '../../course/screens.ts';
import { FADE_MS, type ShownColour, toCss } from '../../face/light/colours.ts';
import type { LightJudgement } from '../../face/light/judge-light.ts';

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
  const shown: ShownColour[] = [];
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
    const next = light.colours[position];
    if (next === undefined) {
      stopTimer = after(AFTER_MS, () => {
        isOver = true;
        turnTo(null);
      });
      return;
    }
    turnTo(next);
    // The first one is there for a while before it counts: eyes and camera get used to it.
    stopTimer = after(position === 0 ? light.colourMs : FADE_MS, () => {
      shown.push({ colour: next, at: now() });
      record('lit', position);
      // The next one begins to fade in before this one's time is over.
      stopTimer = after(light.colourMs - (position + 1 < light.colours.length ? FADE_MS : 0), showNext);
    });
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
      return isDeclined ? 'declined' : (await judge(shown)).finding;
    },
    clear() {
      shown.length = 0;
      isOver = false;
      putOut();
    },
    stop() {
      stopListening();
      stopTimer();
    },
  };
}
