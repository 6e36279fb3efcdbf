// Shows the colours that the service drew for the attempt, one after the other, while the camera looks at what they do to the face: a
// round of them, and another where the first did not tell.

import { FADE_MS, isOutshone, type LightJudgement, mayTellMore, type ShownColour, toCss } from '@limen/light';
import {
  allColours,
  firstColourOf,
  LIGHT_MOST_MS,
  type LightColour,
  type LightDraw,
  type LightFinding,
  type LightPlan,
} from '@limen/plan';
import type { CaptureScreen, Screen } from '../../course/screens.ts';

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
  /** The person wants none of it or no more, or all were shown and the slowest camera has seen the last of them. */
  readonly isOver: boolean;
  /** A colour stayed longer than the plan lets it, as while the device slept: the attempt does not count. */
  readonly isLapsed: boolean;
  /** With the colours of the attempt; with none where more attempts were made than there are colours for. */
  begin(): void;
  /** The screen in the colour of the moment. It is the one that the next colours are shown on. */
  tint(screen: CaptureScreen): CaptureScreen;
  finding(): Promise<LightFinding>;
  /** Back to before the first colour; those that were seen do not come again. */
  clear(): void;
  /** For good. */
  stop(): void;
}

interface LightRunOptions {
  light: LightPlan;
  /** In how many attempts light was shown before, also by a page that was loaded again since, and whether the person stopped it. */
  attemptsLit: number;
  wasStopped: boolean;
  colours: ColourWishes;
  record(event: 'lit' | 'stopped', position: number): void;
  show(screen: Screen): void;
  judge(shown: readonly ShownColour[]): Promise<LightJudgement>;
  now(): number;
  after(delayMs: number, callback: () => void): () => void;
}

/** The last colour stays until the slowest camera has seen it. */
const AFTER_MS = 350;
/** The log has a clock of its own, and is a little later. */
const MARGIN_MS = 500;
/** Who is told that it is too bright turns away before the next round. */
const TURN_MS = 1_500;

export function createLightRun(options: LightRunOptions): LightRun {
  const { light, colours, record, judge, now, after } = options;
  let attempt = options.attemptsLit;
  const shown: ShownColour[] = [];
  /** Of the last round that was shown. */
  let judging: Promise<LightJudgement> | null = null;
  /** Until it is known what follows from that. */
  let deciding: Promise<void> | null = null;
  /** By the first round, where another was to follow. */
  let isUnlit = false;
  let isDeclined = colours.isLeftOut() || options.wasStopped;
  let colour: LightColour | null = null;
  let isOver = false;
  let isLapsed = false;
  /** As the round before says. */
  let isTooBright = false;
  let screen: CaptureScreen | null = null;
  let stopTimer: () => void = () => undefined;
  const stopListening = colours.onLeftOut(() => {
    if (isDeclined) return;
    isDeclined = true;
    const draw = light.attempts[attempt];
    // What is found already stays found, and what was shown whole is judged: nothing is left to stop.
    if (!isOver && !deciding) {
      if (draw && shown.length === allColours(draw).length) deciding = judgeRound(draw);
      else noteStop();
    }
    putOut();
  });

  const positionOf = (place: number) => firstColourOf(light, attempt) + place;

  function noteStop(): void {
    if (shown.length > 0) record('stopped', positionOf(shown.length - 1));
  }

  function tint(plain: CaptureScreen): CaptureScreen {
    screen = plain;
    if (!colour) return plain;
    return { ...plain, prompt: isTooBright ? 'guide.tooBright' : 'guide.colours', tone: 'do', light: toCss(colour) };
  }

  function turnTo(next: LightColour | null): void {
    colour = next;
    if (screen) options.show(tint(screen));
  }

  function putOut(): void {
    stopTimer();
    if (colour !== null) turnTo(null);
  }

  function showNext(draw: LightDraw): void {
    const { colourMs } = draw;
    const all = allColours(draw);
    const place = shown.length;
    const next = all[place]!;
    turnTo(next);
    // The first one is there for a while before it counts: eyes and camera get used to it.
    stopTimer = after(place === 0 ? colourMs : FADE_MS, () => {
      const before = shown.at(-1);
      if (before && now() - before.at > LIGHT_MOST_MS - MARGIN_MS) {
        isLapsed = true;
        return;
      }
      shown.push({ colour: next, at: now() });
      record('lit', positionOf(place));
      const isLastOfRound = [draw.colours.length, all.length].includes(shown.length);
      // The next one begins to fade in before this one's time is over.
      stopTimer = isLastOfRound
        ? after(colourMs + AFTER_MS, () => {
            deciding = judgeRound(draw);
          })
        : after(colourMs - FADE_MS, () => showNext(draw));
    });
  }

  /** The last colour stays meanwhile: it is what the next round begins from. */
  async function judgeRound(draw: LightDraw): Promise<void> {
    const mine = judge([...shown]);
    judging = mine;
    const judgement = await mine.catch(() => null);
    if (judging !== mine) return;
    deciding = null;
    if (judgement && mayTellMore(judgement) && shown.length < allColours(draw).length) {
      isUnlit = judgement.finding === 'not_lit';
      if (isDeclined) return noteStop();
      isTooBright = isOutshone(judgement);
      if (!isTooBright) return showNext(draw);
      turnTo(colour);
      stopTimer = after(TURN_MS, () => showNext(draw));
      return;
    }
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
    get isLapsed() {
      return isLapsed;
    },
    begin() {
      const draw = light.attempts[attempt];
      if (!draw) isOver = true;
      else if (!isDeclined) showNext(draw);
    },
    tint,
    async finding() {
      await deciding;
      if (judging && isOver) return (await judging).finding;
      // Whoever stops the second round does not take back what the first has shown.
      return isUnlit ? 'not_lit' : 'declined';
    },
    clear() {
      if (shown.length > 0) attempt += 1;
      shown.length = 0;
      judging = null;
      deciding = null;
      isUnlit = false;
      isLapsed = false;
      isOver = false;
      isTooBright = false;
      putOut();
    },
    stop() {
      stopListening();
      stopTimer();
    },
  };
}
