// Shows the colours that the service drew for an attempt, one after the other, while the camera looks at what they do to the
// face: a round of them, and another where the first did not tell.

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

/** Knowledge about the screen's light before the step */
export interface KnownColours {
  colours: ColourWishes;
  /** In how many attempts light was shown before, by the log: also by a page that was loaded again since. */
  attemptsLit: number;
  /** Whether the person stopped the light of this session before. */
  wasStopped: boolean;
}

export interface StepClock {
  now(): number;
  after(delayMs: number, callback: () => void): () => void;
}

interface LightRunOptions {
  plan: LightPlan;
  known: KnownColours;
  record(event: 'lit' | 'stopped', position: number): void;
  show(screen: Screen): void;
  judge(shown: readonly ShownColour[]): Promise<LightJudgement>;
  clock: StepClock;
}

/** The last colour stays until the slowest camera has seen it. */
const AFTER_MS = 350;
/** The log has a clock of its own, and is a little later. */
const MARGIN_MS = 500;
/** Time for a person to turn away from bright light before the next round */
const TURN_MS = 1_500;

export class LightRun {
  readonly #options: LightRunOptions;
  #attempt: number;
  readonly #shown: ShownColour[] = [];
  /** The judgement of the last round that was shown. */
  #judging: Promise<LightJudgement> | null = null;
  /** Settles once it is known what follows from that judgement. */
  #deciding: Promise<void> | null = null;
  /** By the first round, where another was to follow. */
  #isUnlit = false;
  #isDeclined: boolean;
  #colour: LightColour | null = null;
  #isOver = false;
  #isLapsed = false;
  /** By the round before. */
  #isTooBright = false;
  #screen: CaptureScreen | null = null;
  #stopTimer: () => void = () => undefined;
  readonly #stopListening: () => void;

  constructor(options: LightRunOptions) {
    this.#options = options;
    const { colours, attemptsLit, wasStopped } = options.known;
    this.#attempt = attemptsLit;
    this.#isDeclined = colours.isLeftOut() || wasStopped;
    this.#stopListening = colours.onLeftOut(() => this.#decline());
  }

  /** The colour on the screen now; null before and after. */
  get colour(): LightColour | null {
    return this.#colour;
  }

  get hasBegun(): boolean {
    return this.#colour !== null || this.#isOver;
  }

  /** The person wants none of it or no more, or all were shown and the slowest camera has seen the last of them. */
  get isOver(): boolean {
    return this.#isOver || this.#isDeclined;
  }

  /** A colour stayed longer than the plan lets it, as while the device slept: the attempt does not count. */
  get isLapsed(): boolean {
    return this.#isLapsed;
  }

  /** Begins with the colours of the attempt; with none where more attempts were made than there are colours for. */
  begin(): void {
    const draw = this.#options.plan.attempts[this.#attempt];
    if (!draw) this.#isOver = true;
    else if (!this.#isDeclined) this.#showNext(draw);
  }

  /** Returns the screen in the colour of the moment. The next colours are shown on it. */
  tint(plain: CaptureScreen): CaptureScreen {
    this.#screen = plain;
    if (!this.#colour) return plain;
    const prompt = this.#isTooBright ? 'guide.tooBright' : 'guide.colours';
    return { ...plain, prompt, tone: 'do', light: toCss(this.#colour) };
  }

  async finding(): Promise<LightFinding> {
    await this.#deciding;
    if (this.#judging && this.#isOver) return (await this.#judging).finding;
    // A person who stops the second round does not take back what the first has shown.
    return this.#isUnlit ? 'not_lit' : 'declined';
  }

  /** Goes back to before the first colour; those that were seen do not come again. */
  clear(): void {
    if (this.#shown.length > 0) this.#attempt += 1;
    this.#shown.length = 0;
    this.#judging = null;
    this.#deciding = null;
    this.#isUnlit = false;
    this.#isLapsed = false;
    this.#isOver = false;
    this.#isTooBright = false;
    this.#putOut();
  }

  /** Ends the run for good. */
  stop(): void {
    this.#stopListening();
    this.#stopTimer();
  }

  #decline(): void {
    if (this.#isDeclined) return;
    this.#isDeclined = true;
    const draw = this.#options.plan.attempts[this.#attempt];
    // What is found already stays found, and what was shown whole is judged: nothing is left to stop.
    if (!this.#isOver && !this.#deciding) {
      if (draw && this.#shown.length === allColours(draw).length) this.#deciding = this.#judgeRound(draw);
      else this.#noteStop();
    }
    this.#putOut();
  }

  #record(event: 'lit' | 'stopped', place: number): void {
    const { plan, record } = this.#options;
    record(event, firstColourOf(plan, this.#attempt) + place);
  }

  #noteStop(): void {
    if (this.#shown.length > 0) this.#record('stopped', this.#shown.length - 1);
  }

  #turnTo(next: LightColour | null): void {
    this.#colour = next;
    if (this.#screen) this.#options.show(this.tint(this.#screen));
  }

  #putOut(): void {
    this.#stopTimer();
    if (this.#colour !== null) this.#turnTo(null);
  }

  #showNext(draw: LightDraw): void {
    const { now, after } = this.#options.clock;
    const { colourMs } = draw;
    const all = allColours(draw);
    const place = this.#shown.length;
    const next = all[place]!;
    this.#turnTo(next);
    // The first one is there for a while before it counts: eyes and camera get used to it.
    this.#stopTimer = after(place === 0 ? colourMs : FADE_MS, () => {
      const before = this.#shown.at(-1);
      if (before && now() - before.at > LIGHT_MOST_MS - MARGIN_MS) {
        this.#isLapsed = true;
        return;
      }
      this.#shown.push({ colour: next, at: now() });
      this.#record('lit', place);
      const isLastOfRound = [draw.colours.length, all.length].includes(this.#shown.length);
      // The next one begins to fade in before this one's time is over.
      this.#stopTimer = isLastOfRound
        ? after(colourMs + AFTER_MS, () => {
            this.#deciding = this.#judgeRound(draw);
          })
        : after(colourMs - FADE_MS, () => this.#showNext(draw));
    });
  }

  /** The last colour stays until the judgement: the next round begins from it. */
  async #judgeRound(draw: LightDraw): Promise<void> {
    const mine = this.#options.judge([...this.#shown]);
    this.#judging = mine;
    const judgement = await mine.catch(() => null);
    if (this.#judging !== mine) return;
    this.#deciding = null;
    if (judgement && mayTellMore(judgement) && this.#shown.length < allColours(draw).length) {
      this.#isUnlit = judgement.finding === 'not_lit';
      if (this.#isDeclined) return this.#noteStop();
      this.#isTooBright = isOutshone(judgement);
      if (!this.#isTooBright) return this.#showNext(draw);
      this.#turnTo(this.#colour);
      this.#stopTimer = this.#options.clock.after(TURN_MS, () => this.#showNext(draw));
      return;
    }
    this.#isOver = true;
    this.#turnTo(null);
  }
}
