// The state of a session's device channel, which is one sealed value.
import type { HandoffRequest } from '@limen/contract';
import type { LightCourse, LogEntry, WalletRefusal } from '@limen/plan';
import type { Signer } from './signature.ts';

export interface HeldPlan {
  text: string;
  privateKey: string;
  servedAt: number;
}

export interface OfferedHandoff {
  /** SHA-256 of the code, base64url. */
  digest: string;
  madeAt: number;
  expiresAt: number;
  number: string;
  /** Numbers to choose from, drawn once. Two different draws would reveal the right number. */
  choices: readonly string[];
  began: HandoffRequest['began'];
  /** Positions of the steps that a box was sealed for. */
  carries: readonly number[];
  /** Entries of the log when it was sealed. */
  sealedAtEntry: number;
}

/** Behavior of devices under earlier plans. */
export interface CourseBefore {
  orderBreaks: number;
  retries: number;
  /** Time per movement in the steps that can be carried; empty if there are none. */
  challengeMs: readonly number[];
  /** Rhythm of the face step, if it can be carried; otherwise empty. */
  rhythm: readonly number[];
  /** Null where no light was shown. */
  lightMs: number | null;
  light: LightCourse;
  captureMs: number;
  servedAt: number | null;
}

/** The code that goes back, in a session that has changed devices and has ended. */
export interface Returning {
  code: string;
  triesLeft: number;
  /** Came again after a lost reply, it is not counted again. */
  lastWrong: string | null;
  done: boolean;
}

/** Names of the counters for refused calls. */
export type Counted = 'otherDeviceAttempts' | 'replayAttempts' | 'outOfPlanAnswers' | 'handoffNumbersWrong';

export interface ChannelState {
  /** In the order they came; each with the counter of its last call that changed something. */
  devices: readonly Signer[];
  /** Position of the one that holds the session. */
  active: number;
  /** Null once the session has ended. */
  plan: HeldPlan | null;
  log: readonly LogEntry[];
  /** The worst of all reports; null without any. */
  logOverrunMs: number | null;
  /** Time at which the first device claimed the session. */
  openedAt: number;
  before: CourseBefore;
  /** The code that works now. */
  handoff: OfferedHandoff | null;
  handoffsMade: number;
  /** How long each code waited for the device that took over. */
  handoffMs: readonly number[];
  /** Whether a person with the last code picked a number other than the one its device shows. */
  wrongNumber: boolean;
  /**
   * Whether a person with the last code said that they did not begin this, or saw none of the
   * numbers.
   */
  declined: boolean;
  /** Why the answer to the last link for a wallet was not taken; null until there is one. */
  linkRefusal: WalletRefusal | null;
  /** Whether there is a box in the store; it goes with the first change that sets this to false. */
  holdsBox: boolean;
  /** Null until the end, and in a session that stayed on one device. */
  returning: Returning | null;
  counts: Readonly<Record<Counted, number>>;
  /** SHA-256 of the envelope that ended the session, base64url. */
  accepted: string | null;
  /** State of the offer made after the end to the device that finished. */
  offer: OfferState;
}

/** Something that a device may do once, after the end. */
export interface OfferState {
  /** How often it was begun. */
  attempts: number;
  /** The attempt that has not been answered yet. */
  open: number | null;
  taken: boolean;
}
