// Shows colors while a document is in front of the camera. A document that shines by itself does
// not respond to them.
import type { DocumentLight, ShownColor } from '@limen/light';
import { FADE_MS, toCss } from '@limen/light';
import { LIGHT_ATTEMPTS, type LightDraw, type LightPlan } from '@limen/plan';
import type { DocumentCaptureScreen, Screen } from '../../course/screens.ts';
import type { TakenFrame } from '../face/follow-person.ts';
import type { ColorWishes } from '../face/light-run.ts';

/** Conditions under which a face was lit. Only valid for the same screen, camera and room. */
export interface KnownLight {
  /** Response of the face to the light. */
  faceResponse: number;
  rounds: LightRounds;
}

/** Colors that the service drew and that were not shown. */
export type LightRounds = ReturnType<typeof listUnusedRounds>;

type LightRound = Pick<LightDraw, 'colours' | 'colourMs'>;

/** Lists the rounds of the face's unused attempts, from the last one backwards. */
export function listUnusedRounds({ attempts }: LightPlan, attemptsLit: number) {
  const left = attempts.slice(attemptsLit, LIGHT_ATTEMPTS).toReversed();
  const rounds = left.flatMap(({ colours: colors, again, colourMs: colorMs }) =>
    [colors, again].map((each) => ({ colours: each, colourMs: colorMs })),
  );
  return {
    /** Returns undefined after the last round. */
    next: (): LightRound | undefined => rounds.shift(),
  };
}

export interface LightDocumentOptions {
  known: KnownLight;
  colours: ColorWishes;
  /** Screen on which the colors are shown. */
  screen: DocumentCaptureScreen;
  eye: {
    /** Returns false if the frame does not show the document of the last look. */
    light(image: ImageBitmap, atMs: number): Promise<boolean>;
    judgeLight(shown: readonly ShownColor[], faceResponse: number): Promise<DocumentLight>;
  };
  /** Whether the person wants something else. */
  isOver(): boolean;
  nextFrame(): Promise<TakenFrame>;
  show(screen: Screen): void;
  now(): number;
}

/** Keeps the last color until the slowest camera has seen it. */
const AFTER_MS = 350;
/** Consecutive frames without the document after which it counts as put away. */
const MAX_MISSING_FRAMES = 4;
/** Limit of rounds. A reflecting document nearly always gives a clear result at once. */
const MAX_ROUNDS = 2;

export async function lightDocument(options: LightDocumentOptions): Promise<DocumentLight> {
  const { known, colours: colors, screen, eye, nextFrame, show, now } = options;
  if (colors.isLeftOut()) return 'unknown';
  let isStopped = false;
  const stopListening = colors.onLeftOut(() => {
    isStopped = true;
    show(screen);
  });
  const shown: ShownColor[] = [];
  let missing = 0;

  /** Returns false if the result is void. */
  async function lookUntil(time: number): Promise<boolean> {
    while (now() < time) {
      const { image, afterPause } = await nextFrame();
      const isThere = await eye.light(image, now());
      missing = isThere ? 0 : missing + 1;
      if (isStopped || afterPause || missing >= MAX_MISSING_FRAMES || options.isOver()) return false;
    }
    return true;
  }

  async function showRound({ colours: roundColors, colourMs: colorMs }: LightRound): Promise<boolean> {
    for (const [position, color] of roundColors.entries()) {
      show({ ...screen, prompt: 'scan.colours', tone: 'do', light: toCss(color) });
      // The first color is shown for longer, so that the camera can adjust.
      const whole = now() + (shown.length === 0 ? colorMs : FADE_MS);
      shown.push({ colour: color, at: whole });
      const isLast = position === roundColors.length - 1;
      if (!(await lookUntil(whole + colorMs + (isLast ? AFTER_MS : -FADE_MS)))) return false;
    }
    return true;
  }

  try {
    let finding: DocumentLight = 'unknown';
    for (let count = 0; count < MAX_ROUNDS && finding === 'unknown'; count += 1) {
      const round = known.rounds.next();
      if (!round || !(await showRound(round))) return 'unknown';
      finding = await eye.judgeLight(shown, known.faceResponse);
    }
    return finding;
  } finally {
    stopListening();
    if (!isStopped) show(screen);
  }
}
