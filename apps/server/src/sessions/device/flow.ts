// What a kind of session tells the device channel: its settings for the page, its plan, and how it ends.

import type { DeviceView, HandoffPolicy, LightPolicy } from '@limen/contract';
import type { DevicePlan, FacePlanStep, LightCourse, PlanStep } from '@limen/plan';
import type { Transaction } from '../../platform/database/database.ts';
import type { SessionKind } from '../lifecycle/kinds.ts';
import type { FlowStatus } from '../lifecycle/rules.ts';
import type { AnySession, Session } from '../lifecycle/session.ts';
import type { FinishedCheck } from '../risk/finished-checks.ts';
import type { BehaviorFacts } from '../risk/measure-behavior.ts';

/** Writes the channel's own row in the transaction that ends the session; throws when another call was first. */
export type Keep = (trx: Transaction) => Promise<void>;

export interface PageSettings {
  locale: string;
  enableDesktop: boolean;
  /** Where the person is sent at the end; undefined also where this end sends them nowhere. */
  redirectUrl: string | undefined;
  /** Where the host wants the person in the end, however it ends: of this a device is told the origin only. */
  host: string | undefined;
  handoff: HandoffPolicy;
  /** Whether a session that changed devices sends nobody on before a code came back to the device that began it. */
  returnsByCode: boolean;
  /** How much the page tells in its console. */
  debugLevel?: 1 | 2 | 3 | undefined;
  /** Told to everybody with the link: nothing secret goes into it. */
  asks: DeviceView['asks'];
}

interface FlowEnd {
  flowStatus: FlowStatus;
  errors: readonly number[];
  /** What the device that finished may do after the end, and until when; absent for nothing. */
  ageKeyOffer?: { ageOver: number; until: number } | undefined;
}

/** An answer of the right form, and what its log has to show. */
export interface ReadAnswer {
  /** Positions of the plan's steps that had to run for what was found, in order. */
  stepsDue: readonly number[];
  /** The capture stopped at a finding, such as a spoof: the log may end anywhere. */
  cutShort: boolean;
  /** The session as it stands then; undefined when it had ended already: then nothing was written, `keep` included. */
  end(behavior: BehaviorFacts, keep: Keep): Promise<AnySession | undefined>;
}

/** What an answer is held against beside its plan. Times are by the server's clock, in milliseconds since 1970. */
export interface AnswerCourse extends FinishedCheck {
  /** When the plan that is answered was given to the device; where steps are carried, that of the device they are from. */
  servedAt: number;
  answeredAt: number;
  /** Positions of the steps that ever began by the answer's log, undone later or not. */
  begun: readonly number[];
  /** Positions of the steps that the device before has done, by the answer's log. */
  carried: readonly number[];
  /** How far light was shown to the face that is answered with. */
  light: LightCourse;
}

/** A session that goes from one plan to another, in the transaction that does it. */
interface PlanChange {
  from: { plan: DevicePlan /** As in `AnswerCourse`, by what was reported. */; carried: readonly number[] };
  /** Its `carried` are the steps whose evidence goes on. */
  to: DevicePlan;
}

/** What a test asks less of. */
export interface MovementTuning {
  /** At least one, whatever a test wants. */
  count?: number;
  /** Each has to be done within this time of being shown. */
  ms?: number;
}

/** What a face is asked for, before anything is drawn. */
export interface FaceDemands {
  movements?: MovementTuning | undefined;
  /** Undefined for none. */
  light: LightPolicy | undefined;
}

/** What is drawn for a face step, for nobody to foresee. */
export type FaceDraw = Pick<FacePlanStep, 'challenges' | 'challengeMs' | 'light' | 'cameraRequest'>;
export type DrawFace = (demands: FaceDemands) => FaceDraw;

/** One session, as the channel asks about it. */
export interface SessionFlow {
  describe(): PageSettings;
  planSteps(drawFace: DrawFace): PlanStep[] | Promise<PlanStep[]>;
  /** Undefined until the session has ended. */
  endOf(): FlowEnd | undefined;
  /** Undefined for an answer that is not of the plan's form. Session id, nonce and log are checked by the channel. */
  readAnswer(plan: DevicePlan, answer: unknown, course: AnswerCourse): ReadAnswer | undefined;
  /** Ends without a decision, with this code; also for an answer that was refused. False where `ReadAnswer.end` has undefined. */
  cancel(code: number | undefined, behavior: BehaviorFacts, keep: Keep): Promise<boolean>;
  expire(): Promise<void>;
  /** For a kind of session that keeps something of a plan's steps by itself. */
  handOn?(trx: Transaction, change: PlanChange): Promise<void>;
}

/** How a kind of session answers for one of its own. */
export type DeviceFlow<Kind extends SessionKind> = (session: Session<Kind>) => SessionFlow;

export type DeviceFlows = { readonly [Kind in SessionKind]: DeviceFlow<Kind> };

export function flowOf<Kind extends SessionKind>(flows: DeviceFlows, session: Session<Kind>): SessionFlow {
  return flows[session.kind](session);
}

/** As the page tells it to the person. */
export function describeLight(light: LightPolicy | undefined): { light: boolean; lightRequired?: true } {
  return { light: light !== undefined, ...(light === 'required' && { lightRequired: true }) };
}
