// Shows the drawn colors of an attempt while the camera measures their effect on the face. A second
// round follows an unclear first one.

import { FADE_MS, isOutshone, type LightJudgment, mayTellMore, type ShownColor, toCss } from '@limen/light';
import {
  findFirstColor,
  LIGHT_MOST_MS,
  type LightColor,
  type LightDraw,
  type LightFinding,
  type LightPlan,
  listColors,
} from '@limen/plan';
import type { CaptureScreen, Screen } from '../../course/screens.ts';

/** The person's wish about screen colors. */
export interface ColorWishes {
  isLeftOut(): boolean;
  /** Calls back when the person leaves out shown colors. Returns a function that stops this. */
  onLeftOut(callback: () => void): () => void;
}

/** State of the light before this step. */
export interface KnownColors {
  colours: ColorWishes;
  /** Attempts that already showed light, by the log. */
  attemptsLit: number;
  /** Whether the person stopped the light earlier in the session. */
  wasStopped: boolean;
}

export interface StepClock {
  now(): number;
  after(delayMs: number, callback: () => void): () => void;
}

interface LightRunOptions {
  plan: LightPlan;
  known: KnownColors;
  record(event: 'lit' | 'stopped', position: number): void;
  show(screen: Screen): void;
  judge(shown: readonly ShownColor[]): Promise<LightJudgment>;
  clock: StepClock;
}

/** Keeps the last color until the slowest camera has seen it. */
const AFTER_MS = 350;
/** The log's clock runs slightly later. */
const MARGIN_MS = 500;
/** Time for the person to turn away from bright light before the next round. */
const TURN_MS = 1_500;

export class LightRun {
  readonly #options: LightRunOptions;
  #attempt: number;
  readonly #shown: ShownColor[] = [];
  #judging: Promise<LightJudgment> | null = null;
  /** Settles when the next step after the judgment is known. */
  #deciding: Promise<void> | null = null;
  /** Set if the first round was unlit and another one should follow. */
  #isUnlit = false;
  #isDeclined: boolean;
  #colour: LightColor | null = null;
  #isOver = false;
  #isLapsed = false;
  /** Result of the previous round. */
  #isTooBright = false;
  #screen: CaptureScreen | null = null;
  #stopTimer: () => void = () => undefined;
  readonly #stopListening: () => void;

  constructor(options: LightRunOptions) {
    this.#options = options;
    const { colours: colors, attemptsLit, wasStopped } = options.known;
    this.#attempt = attemptsLit;
    this.#isDeclined = colors.isLeftOut() || wasStopped;
    this.#stopListening = colors.onLeftOut(() => this.#decline());
  }

  /** Current color of the screen; null before and after the run. */
  get colour(): LightColor | null {
    return this.#colour;
  }

  get hasBegun(): boolean {
    return this.#colour !== null || this.#isOver;
  }

  /** Whether the run ended: declined, stopped, or the slowest camera has seen all colors. */
  get isOver(): boolean {
    return this.#isOver || this.#isDeclined;
  }

  /** Whether a color stayed too long, as during sleep. The attempt is then void. */
  get isLapsed(): boolean {
    return this.#isLapsed;
  }

  /** Starts with the colors of the attempt; ends at once if there are none for it. */
  begin(): void {
    const draw = this.#options.plan.attempts[this.#attempt];
    if (!draw) this.#isOver = true;
    else if (!this.#isDeclined) this.#showNext(draw);
  }

  /** Returns the screen tinted in the current color, and keeps it as the base for later colors. */
  tint(plain: CaptureScreen): CaptureScreen {
    this.#screen = plain;
    if (!this.#colour) return plain;
    const prompt = this.#isTooBright ? 'guide.tooBright' : 'guide.colours';
    return { ...plain, prompt, tone: 'do', light: toCss(this.#colour) };
  }

  async finding(): Promise<LightFinding> {
    await this.#deciding;
    if (this.#judging && this.#isOver) return (await this.#judging).finding;
    // Stopping the second round does not undo the first.
    return this.#isUnlit ? 'not_lit' : 'declined';
  }

  /** Resets to before the first color. Colors that were shown are not shown again. */
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

  /** Ends the run permanently. */
  stop(): void {
    this.#stopListening();
    this.#stopTimer();
  }

  #decline(): void {
    if (this.#isDeclined) return;
    this.#isDeclined = true;
    const draw = this.#options.plan.attempts[this.#attempt];
    // An existing finding stays, and a completely shown round is judged.
    if (!this.#isOver && !this.#deciding) {
      if (draw && this.#shown.length === listColors(draw).length) this.#deciding = this.#judgeRound(draw);
      else this.#noteStop();
    }
    this.#putOut();
  }

  #record(event: 'lit' | 'stopped', position: number): void {
    const { plan, record } = this.#options;
    record(event, findFirstColor(plan, this.#attempt) + position);
  }

  #noteStop(): void {
    if (this.#shown.length > 0) this.#record('stopped', this.#shown.length - 1);
  }

  #turnTo(next: LightColor | null): void {
    this.#colour = next;
    if (this.#screen) this.#options.show(this.tint(this.#screen));
  }

  #putOut(): void {
    this.#stopTimer();
    if (this.#colour !== null) this.#turnTo(null);
  }

  #showNext(draw: LightDraw): void {
    const { now, after } = this.#options.clock;
    const { colourMs: colorMs } = draw;
    const colors = listColors(draw);
    const position = this.#shown.length;
    const next = colors[position]!;
    this.#turnTo(next);
    // Shown longer before it counts, so that eyes and camera can adjust.
    this.#stopTimer = after(position === 0 ? colorMs : FADE_MS, () => {
      const before = this.#shown.at(-1);
      if (before && now() - before.at > LIGHT_MOST_MS - MARGIN_MS) {
        this.#isLapsed = true;
        return;
      }
      this.#shown.push({ colour: next, at: now() });
      this.#record('lit', position);
      const isLastOfRound = [draw.colours.length, colors.length].includes(this.#shown.length);
      // The next color starts to fade in before this one's time is over.
      this.#stopTimer = isLastOfRound
        ? after(colorMs + AFTER_MS, () => {
            this.#deciding = this.#judgeRound(draw);
          })
        : after(colorMs - FADE_MS, () => this.#showNext(draw));
    });
  }

  /** Keeps the last color until the judgment, because the next round starts from it. */
  async #judgeRound(draw: LightDraw): Promise<void> {
    const ownJudgment = this.#options.judge([...this.#shown]);
    this.#judging = ownJudgment;
    const judgment = await ownJudgment.catch(() => null);
    if (this.#judging !== ownJudgment) return;
    this.#deciding = null;
    if (judgment && mayTellMore(judgment) && this.#shown.length < listColors(draw).length) {
      this.#isUnlit = judgment.finding === 'not_lit';
      if (this.#isDeclined) return this.#noteStop();
      this.#isTooBright = isOutshone(judgment);
      if (!this.#isTooBright) return this.#showNext(draw);
      this.#turnTo(this.#colour);
      this.#stopTimer = this.#options.clock.after(TURN_MS, () => this.#showNext(draw));
      return;
    }
    this.#isOver = true;
    this.#turnTo(null);
  }
}
