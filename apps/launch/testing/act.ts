// Simulates a person's answer to a challenge: a reaction time, the movement, a hold, and the
// return.

import { type HeadMotion, sway } from '@limen/face-geometry/testing/head-motion.ts';
import { createRandom } from '@limen/face-geometry/testing/random.ts';
import type { Movement } from '@limen/plan';
import { MOVEMENT_KINDS } from '../src/face/index.ts';

export interface MotionStyle {
  /** Delay before the movement. */
  reactionMs: number;
  /** Duration of each way. */
  easeMs: number;
  holdMs: number;
  turnDegrees: number;
  upDegrees: number;
  /** Duration of closed eyes, without the lids' movement. */
  blinkMs: number;
  seed: number;
}

export const DEFAULT_STYLE: MotionStyle = {
  reactionMs: 450,
  easeMs: 400,
  holdMs: 600,
  turnDegrees: 27,
  upDegrees: 20,
  blinkMs: 180,
  seed: 1,
};

const LID_MS = 100;
/** Pause before another try at the same challenge. */
const RETRY_PAUSE_MS = 900;
/** Exaggeration with each try. */
const GROWTH_PER_TRY = 0.2;
const MAX_GROWTH = 1.4;
const STILL: HeadMotion = { yaw: 0, pitch: 0, roll: 0, lids: 0, x: 0, y: 0 };

/** Draws a random style from the seed. */
export function drawStyle(seed: number): MotionStyle {
  const random = createRandom(seed * 7919);
  const between = (low: number, high: number) => low + random() * (high - low);
  return {
    reactionMs: between(250, 900),
    easeMs: between(250, 600),
    holdMs: between(450, 900),
    turnDegrees: between(24, 30),
    upDegrees: between(18, 25),
    blinkMs: between(120, 300),
    seed,
  };
}

/** Animates an answer. Repeats and exaggerates it until another challenge is shown. */
export function animateMovement(challenge: Movement, tMs: number, manner: MotionStyle = DEFAULT_STYLE): HeadMotion {
  const period = measureAnswer(challenge, manner) + RETRY_PAUSE_MS;
  const times = Math.max(Math.floor(tMs / period), 0);
  const further = Math.min(1 + times * GROWTH_PER_TRY, MAX_GROWTH);
  const { turnDegrees, upDegrees } = manner;
  const again = { ...manner, turnDegrees: turnDegrees * further, upDegrees: upDegrees * further };
  return answerOnce(challenge, tMs - times * period, again);
}

/** Returns the duration of an answer until the head is straight again. */
export function measureAnswer(challenge: Movement, manner: MotionStyle = DEFAULT_STYLE): number {
  const { easeMs, holdMs } = getPace(challenge, manner);
  return manner.reactionMs + easeMs * 2 + holdMs;
}

/** Returns the remaining hold of a pose at this moment of the answer. */
function measureHoldLeft(challenge: Movement, tMs: number, manner: MotionStyle): number {
  const { easeMs, holdMs } = getPace(challenge, manner);
  const heldMs = tMs - manner.reactionMs - easeMs;
  return MOVEMENT_KINDS[challenge].tempo === 'held' && heldMs >= 0 && heldMs < holdMs ? holdMs - heldMs : 0;
}

function answerOnce(challenge: Movement, tMs: number, manner: MotionStyle): HeadMotion {
  const { easeMs, holdMs } = getPace(challenge, manner);
  const share = riseAndFall(tMs - manner.reactionMs, easeMs, holdMs);
  return { ...STILL, ...MOVEMENT_KINDS[challenge].move(share, manner) };
}

function getPace(
  challenge: Movement,
  { easeMs, holdMs, blinkMs }: MotionStyle,
): Pick<MotionStyle, 'easeMs' | 'holdMs'> {
  return MOVEMENT_KINDS[challenge].tempo === 'quick' ? { easeMs: LID_MS, holdMs: blinkMs } : { easeMs, holdMs };
}

/** Returns a smooth step: 0 before, 1 while held, 0 after. */
function riseAndFall(t: number, easeMs: number, holdMs: number): number {
  const way = Math.min(t / easeMs, (easeMs * 2 + holdMs - t) / easeMs);
  const share = Math.min(Math.max(way, 0), 1);
  return share * share * (3 - 2 * share);
}

export interface Actor {
  /** Sets the challenge; null for none. */
  show(challenge: Movement | null, nowMs: number): void;
  moveAt(nowMs: number): HeadMotion;
}

/** Follows the prompts. Completes a started movement, but stops holding it. */
export function createActor(manner: MotionStyle = DEFAULT_STYLE): Actor {
  const shown: { challenge: Movement; at: number; until: number }[] = [];
  return {
    show(challenge, nowMs) {
      const last = shown.at(-1);
      if (last?.until === Infinity) {
        const period = measureAnswer(last.challenge, manner) + RETRY_PAUSE_MS;
        const into = (nowMs - last.at) % period;
        last.at -= measureHoldLeft(last.challenge, into, manner);
        const isMoving = into > manner.reactionMs;
        last.until = isMoving ? last.at + Math.ceil((nowMs - last.at) / period) * period : nowMs;
      }
      if (challenge) shown.push({ challenge, at: nowMs, until: Infinity });
    },
    moveAt(nowMs) {
      const parts = shown
        .filter(({ until }) => nowMs < until)
        .map(({ challenge, at }) => animateMovement(challenge, nowMs - at, manner));
      return [sway(nowMs, manner.seed), ...parts].reduce(addMotions);
    },
  };
}

function addMotions(a: HeadMotion, b: HeadMotion): HeadMotion {
  return {
    yaw: a.yaw + b.yaw,
    pitch: a.pitch + b.pitch,
    roll: a.roll + b.roll,
    lids: Math.min(a.lids + b.lids, 1),
    x: a.x + b.x,
    y: a.y + b.y,
  };
}
