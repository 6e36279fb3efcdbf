// The face work of the launch page: frames in, numbers out. No page, no camera and no network in here.
export type { AgeEstimate } from './age.ts';
export {
  type ChallengeEvent,
  type ChallengePhase,
  type ChallengeRun,
  createChallengeRun,
} from './challenge.ts';
export { type ChallengeObservation, type ChallengeRules, DEFAULT_CHALLENGE_RULES } from './challenge-rules.ts';
export { combineEmbeddings, compareEmbeddings, type Embedding } from './embed.ts';
export {
  combineExaminations,
  type Examination,
  examineFrame,
  type FaceReading,
  type FrameReport,
  toObservation,
  type Wanted,
  watchFrame,
} from './estimate.ts';
export type { Box } from './geometry.ts';
export { createFrame, type Frame } from './image.ts';
export {
  type FaceModels,
  type ModelInput,
  type ModelRole,
  type RunModel,
  type Thresholds,
  thresholdOf,
} from './models.ts';
export { readPortrait } from './portrait.ts';
export type { Pose } from './pose.ts';
export { type Advice, QUALITY_PROBLEMS, type QualityProblem } from './quality.ts';
