// Shows colours while a document that was read is still before the camera: one that shines by itself does not answer to them.
import type { DocumentLight, ShownColour } from '@limen/light';
import { FADE_MS, toCss } from '@limen/light';
import { LIGHT_ATTEMPTS, type LightDraw, type LightPlan } from '@limen/plan';
import type { DocumentCaptureScreen, Screen } from '../../course/screens.ts';
import type { TakenFrame } from '../face/follow-person.ts';
import type { ColourWishes } from '../face/light-run.ts';

/** The same screen, camera and room as when a face was found lit: only then is it known what the screen can do here. */
export interface KnownLight {
  /** Of the light on the face. */
  faceResponse: number;
  rounds: LightRounds;
}

/** Colours that the service drew and nobody has seen. */
export type LightRounds = ReturnType<typeof leftRounds>;

type LightRound = Pick<LightDraw, 'colours' | 'colourMs'>;

/** From the last attempt of the face on backwards, as far as the face did not use them. */
export function leftRounds({ attempts }: LightPlan, attemptsLit: number) {
  const left = attempts.slice(attemptsLit, LIGHT_ATTEMPTS).toReversed();
  const rounds = left.flatMap(({ colours, again, colourMs }) =>
    [colours, again].map((each) => ({ colours: each, colourMs })),
  );
  return {
    /** Undefined when all were shown. */
    next: (): LightRound | undefined => rounds.shift(),
  };
}

export interface LightDocumentOptions {
  known: KnownLight;
  colours: ColourWishes;
  /** What the colours are shown on. */
  screen: DocumentCaptureScreen;
  eye: {
    /** False where it is not the document that was looked at last. */
    light(image: ImageBitmap, atMs: number): Promise<boolean>;
    judgeLight(shown: readonly ShownColour[], faceResponse: number): Promise<DocumentLight>;
  };
  /** The person wants something else meanwhile. */
  isOver(): boolean;
  nextFrame(): Promise<TakenFrame>;
  show(screen: Screen): void;
  now(): number;
}

/** The last colour stays until the slowest camera has seen it. */
const AFTER_MS = 350;
/** Frames in a row without the document: it was put away. */
const GONE_FRAMES = 4;
/** More colours where the first did not tell. What gives light back nearly always tells at once. */
const MAX_ROUNDS = 2;

export async function lightDocument(options: LightDocumentOptions): Promise<DocumentLight> {
  const { known, colours, screen, eye, nextFrame, show, now } = options;
  if (colours.isLeftOut()) return 'unknown';
  let isStopped = false;
  const stopListening = colours.onLeftOut(() => {
    isStopped = true;
    show(screen);
  });
  const shown: ShownColour[] = [];
  let missing = 0;

  /** False where nothing can come of it any more. */
  async function lookUntil(time: number): Promise<boolean> {
    while (now() < time) {
      const { image, afterPause } = await nextFrame();
      const isThere = await eye.light(image, now());
      missing = isThere ? 0 : missing + 1;
      if (isStopped || afterPause || missing >= GONE_FRAMES || options.isOver()) return false;
    }
    return true;
  }

  async function showRound({ colours: all, colourMs }: LightRound): Promise<boolean> {
    for (const [place, colour] of all.entries()) {
      show({ ...screen, prompt: 'scan.colours', tone: 'do', light: toCss(colour) });
      // The very first is there for a while before it counts: the camera gets used to it.
      const whole = now() + (shown.length === 0 ? colourMs : FADE_MS);
      shown.push({ colour, at: whole });
      const isLast = place === all.length - 1;
      if (!(await lookUntil(whole + colourMs + (isLast ? AFTER_MS : -FADE_MS)))) return false;
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
