// Types of a channel's state, which is one sealed value.
import type { HandoffRequest } from '@limen/contract';
import type { LightCourse, LogEntry, WalletRefusal } from '@limen/plan';
import type { Signer } from './signature.ts';

export interface ChannelPlan {
  text: string;
  privateKey: string;
  servedAt: number;
}

export interface OfferedHandoff {
  digest: string;
  madeAt: number;
  expiresAt: number;
  number: string;
  /** Numbers to choose from, drawn once. Two different draws would reveal the right number. */
  choices: readonly string[];
  began: HandoffRequest['began'];
  /** Positions of the steps that a box was sealed for. */
  carries: readonly number[];
  sealedAtEntry: number;
}

/** Behavior of devices under earlier plans. */
export interface EarlierCourse {
  orderBreaks: number;
  retries: number;
  /** Time per movement in the steps that can be carried; empty if there are none. */
  challengeMs: readonly number[];
  /** Rhythm of the face step, if it can be carried; otherwise empty. */
  rhythm: readonly number[];
  lightMs: number | null;
  light: LightCourse;
  captureMs: number;
  servedAt: number | null;
}

/** Code that goes back to the first device after the end of a session that changed devices. */
export interface ReturnCode {
  code: string;
  triesLeft: number;
  /** Digest of the last wrong code, which is not counted again after a lost reply. */
  lastWrong: string | null;
  done: boolean;
}

export type RefusalCounter = 'otherDeviceAttempts' | 'replayAttempts' | 'outOfPlanAnswers' | 'handoffNumbersWrong';

export interface ChannelState {
  /** Devices in order of arrival, each with the counter of its last change */
  devices: readonly Signer[];
  active: number;
  plan: ChannelPlan | null;
  log: readonly LogEntry[];
  /** Largest overrun of all reports; null without reports. */
  logOverrunMs: number | null;
  openedAt: number;
  before: EarlierCourse;
  handoff: OfferedHandoff | null;
  handoffsMade: number;
  handoffMs: readonly number[];
  wrongNumber: boolean;
  /** Whether a person with the last code did not begin this session, or saw none of the numbers. */
  declined: boolean;
  linkRefusal: WalletRefusal | null;
  /** Whether the store has a box. The first change that sets this to false deletes it. */
  holdsBox: boolean;
  /** Null until the end, and in a session that stayed on one device. */
  returning: ReturnCode | null;
  counts: Readonly<Record<RefusalCounter, number>>;
  accepted: string | null;
  offer: OfferState;
}

/** Offer to the device that finished, to make an age key after the end. */
export interface OfferState {
  attempts: number;
  open: number | null;
  taken: boolean;
}
