// The models of the launch page, and how they are installed on this machine.
export {
  type FaceModel,
  loadManifest,
  type Manifest,
  ManifestError,
  MODEL_ROLES,
  type ModelInput,
  type ModelRole,
  manifestHash,
  parseManifest,
  SHIPPED_MANIFEST,
} from './manifest.ts';
export { isIntact, removeLeftovers } from './model-files.ts';
export {
  ModelError,
  type PreparedModel,
  type PrepareOptions,
  type PrepareProgress,
  prepareModels,
} from './prepare-models.ts';
export type { RunNpm } from './run-npm.ts';
