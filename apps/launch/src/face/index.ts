// Face analysis: frames in, numbers out. Without page, camera or network.

export { createFrame, type Frame } from '@limen/face-geometry';
export {
  type ChallengeEvent,
  type ChallengePhase,
  type ChallengeRun,
  createChallengeRun,
} from './movement/challenge.ts';
export { MOVEMENT_KINDS } from './movement/movement-kinds.ts';
export { MOVEMENT_LOOKS } from './movement/movement-looks.ts';
export { QUALITY_PROBLEMS, type QualityProblem } from './quality.ts';
export { combineEmbeddings, compareEmbeddings, type Embedding, embedFace } from './read/embed.ts';
export {
  combineExaminations,
  type Examination,
  type ExamineOptions as Wanted,
  examineFrame,
  type FaceReading,
  type FrameReport,
  toObservation,
  watchFrame,
} from './read/estimate.ts';
export {
  type FaceModels,
  getInputShape as shapeOf,
  getThreshold as thresholdOf,
  type ModelInput,
  type ModelRole,
  type Thresholds,
} from './read/models.ts';
export { readPortrait } from './read/portrait.ts';
