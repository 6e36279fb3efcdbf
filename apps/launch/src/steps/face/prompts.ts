import type { FacePlanStep } from '@limen/plan';
import type { CaptureScreen } from '../../course/screens.ts';
import type { ChallengeRun, FrameReport } from '../../face/index.ts';
import { choosePrompt, getMovementPrompt } from './guidance.ts';

/** Duration of notices, so that they can be read. */
const NOTE_MS = 900;
/** Duration of the request to take off glasses. */
const GLASSES_MS = 6_000;
const GLASSES_FRAMES = 3;
/** Shorter absences, as in a turn, are not mentioned. */
const MIN_ABSENCE_MS = 700;

type FrameSize = { width: number; height: number };
type PromptAndTone = Pick<CaptureScreen, 'prompt' | 'tone'>;

/** `changed`: another person appeared, and everything restarts. */
type PromptedEvent = 'retried' | 'changed' | 'done' | 'shown';

export type Prompter = ReturnType<typeof createPrompter>;

export function createPrompter(step: FacePlanStep) {
  const total = step.challenges.length;
  let last: { event: PromptedEvent; at: number } | null = null;
  let glassesSince: number | null = null;
  let glassesFrames = 0;
  let goneSince: number | null = null;

  function waitsForGlasses({ advice }: FrameReport, time: number): boolean {
    if (advice === 'glasses') glassesSince ??= time;
    return advice === 'glasses' && time - glassesSince! < GLASSES_MS;
  }

  /** A single frame may be wrong, so glasses must show in several frames in a row. */
  function asksAboutGlasses(report: FrameReport, time: number): boolean {
    glassesFrames = report.advice === 'glasses' ? glassesFrames + 1 : 0;
    return glassesFrames >= GLASSES_FRAMES && waitsForGlasses(report, time);
  }

  function choose(
    { phase, index }: Pick<ChallengeRun, 'phase' | 'index'>,
    report: FrameReport,
    size: FrameSize,
    time: number,
  ): PromptAndTone {
    const recent = last && time - last.at < NOTE_MS ? last.event : null;
    const fault = choosePrompt(report, size);
    if (phase === 'asking') {
      goneSince = report.people === 1 ? null : (goneSince ?? time);
      const isGone = goneSince !== null && time - goneSince > MIN_ABSENCE_MS;
      if (isGone && fault) return { prompt: fault, tone: 'fix' };
      return { prompt: getMovementPrompt(step.challenges[index]!), tone: 'do' };
    }
    goneSince = null;
    if (phase === 'returning') {
      return recent === 'done' ? { prompt: 'challenge.done', tone: 'good' } : { prompt: 'challenge.back', tone: 'do' };
    }
    if (recent === 'changed') return { prompt: 'challenge.sameFace', tone: 'fix' };
    if (recent === 'retried') return { prompt: 'challenge.again', tone: 'fix' };
    if (fault) return { prompt: fault, tone: 'fix' };
    if (phase === 'passed') return { prompt: 'guide.lookAhead', tone: 'do' };
    if (asksAboutGlasses(report, time)) return { prompt: 'guide.glasses', tone: 'fix' };
    return { prompt: 'guide.holdStill', tone: 'good' };
  }

  return {
    note(event: PromptedEvent, at: number): void {
      last = { event, at };
    },
    /** Whether to take off glasses, which hide the eyes and distort age estimates. */
    waitsForGlasses,
    screen(
      run: Pick<ChallengeRun, 'phase' | 'index'>,
      report: FrameReport,
      size: FrameSize,
      time: number,
    ): CaptureScreen {
      const { phase, index } = run;
      const progress = phase === 'resting' ? null : { number: Math.min(index + 1, total), total, share: index / total };
      return { name: 'capture', ...choose(run, report, size, time), progress, paused: false };
    },
  };
}
