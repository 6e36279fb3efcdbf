// Interface of one kind of session to the device channel: its settings for the page, its plan, and how it ends.
import type { DeviceView, HandoffPolicy, LightPolicy } from '@limen/contract';
import type { DevicePlan, FacePlanStep, LightCourse, PlanStep } from '@limen/plan';
import type { Transaction } from '../../platform/database/database.ts';
import type { SessionKind } from '../lifecycle/kinds.ts';
import type { FlowStatus } from '../lifecycle/rules.ts';
import type { AnySession, Session } from '../lifecycle/session.ts';
import type { FinishedCheck } from '../risk/finished-checks.ts';
import type { BehaviorFacts } from '../risk/measure-behavior.ts';

/** Writes the channel's own row in the transaction that ends the session. Throws `ConflictError` after another change. */
export type ChannelWrite = (trx: Transaction) => Promise<void>;

export interface PageSettings {
  locale: string;
  enableDesktop: boolean;
  /** Address that this end of the session redirects to. */
  redirectUrl: string | undefined;
  host: string | undefined;
  handoff: HandoffPolicy;
  /** Whether a session that changed devices redirects only after a code came back to the first device. */
  returnsByCode: boolean;
  debugLevel?: 1 | 2 | 3 | undefined;
  /** Anyone with the link can read it, so it has no secrets. */
  asks: DeviceView['asks'];
}

/** An answer of the right form, and what its log has to show. */
export interface ReadAnswer {
  /** Positions of the plan's steps that had to run for these findings, in order. */
  stepsDue: readonly number[];
  /** The capture stopped at a finding, such as a spoof: the log may end anywhere. */
  cutShort: boolean;
  /** Returns the ended session. Returns undefined and writes nothing if it had ended already. */
  end(behavior: BehaviorFacts, keep: ChannelWrite): Promise<AnySession | undefined>;
}

/** Facts that an answer is judged by besides its plan. Times are in milliseconds since 1970, by the server's clock. */
export interface FinishedCourse extends FinishedCheck {
  /** Time at which the device got its plan; with carried steps, that of the device that did them. */
  servedAt: number;
  answeredAt: number;
  /** Positions of all steps that began, even if undone later. */
  begun: readonly number[];
  carried: readonly number[];
  light: LightCourse;
}

/** Easier movements for tests. */
export interface MovementTuning {
  count?: number;
  ms?: number;
}

export interface FaceDemands {
  movements?: MovementTuning | undefined;
  light: LightPolicy | undefined;
}

/** The unpredictable part of a face step. */
export type FaceDraw = Pick<FacePlanStep, 'challenges' | 'challengeMs' | 'light' | 'cameraRequest'>;
export type DrawFace = (demands: FaceDemands) => FaceDraw;

/** One session, as the channel sees it. */
export interface SessionFlow {
  describe(): PageSettings;
  planSteps(drawFace: DrawFace): PlanStep[] | Promise<PlanStep[]>;
  endOf():
    | { flowStatus: FlowStatus; errors: readonly number[]; ageKeyOffer?: { ageOver: number; until: number } }
    | undefined;
  /** Returns undefined for an answer that does not have the plan's form. The channel checks session id, nonce and log. */
  readAnswer(plan: DevicePlan, answer: unknown, course: FinishedCourse): ReadAnswer | undefined;
  /** Ends without a decision, also for an answer that was refused. Returns false if the session had ended already. */
  cancel(code: number | undefined, behavior: BehaviorFacts, keep: ChannelWrite): Promise<boolean>;
  expire(): Promise<void>;
  /** Carries the evidence of a kind's own to the next plan, for the steps that this has as carried. */
  handOn?(trx: Transaction, from: { plan: DevicePlan; carried: readonly number[] }, to: DevicePlan): Promise<void>;
}

export type DeviceFlows = { readonly [Kind in SessionKind]: (session: Session<Kind>) => SessionFlow };

export function selectFlow<Kind extends SessionKind>(flows: DeviceFlows, session: Session<Kind>): SessionFlow {
  return flows[session.kind](session);
}
