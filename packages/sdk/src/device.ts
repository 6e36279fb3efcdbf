// Entry point for pages and apps on the person's device: the device client, and its protocol's
// building blocks.

export type {
  AgeDeviceAnswer,
  DeviceView,
  ErrorCode,
  HandoffLook,
  HandoffReply,
  HandoffRequest,
  LocalSignInReply,
  MakeAgeKeyReply,
  PasskeyOptionsReply,
  PasskeyReply,
  SeenIndicators,
  TokenChallengeReply,
  TokenReply,
  UseAgeKeyReply,
  UseWalletReply,
  VerificationDeviceAnswer,
  WalletLinkReply,
  WalletOptionsReply,
} from '@limen/contract';
export {
  type DevicePlan,
  type DocumentSign,
  type DocumentType,
  ENVELOPE_BYTES,
  HANDOFF_BOX_BYTES,
  LOG_MAX_ENTRIES,
  type LogEntry,
  type PlanStep,
  SELFIE_MAX_BYTES,
  TOKEN_BYTES,
} from '@limen/plan';
export {
  ANSWER_MAX_BYTES,
  padAnswer,
  planHash,
  sealAnswer,
  sealSelfie,
} from './device/answer.ts';
export {
  type ClaimOptions,
  createDeviceClient,
  type DeviceClient,
  type DeviceClientOptions,
  type SubmitOptions,
} from './device/client.ts';
export type { DeviceFindings } from './device/findings.ts';
export type { FollowOptions } from './device/follow.ts';
export type { CarriedSteps, Handoff, HandoffOptions } from './device/handoff/handoff.ts';
export {
  drawHandoffBoxKey,
  type HandoffBoxPlace,
  type HandoffFindings,
  handoffBoxText,
  openHandoffBox,
  type SealedHandoffBox,
  sealHandoffBox,
  signHandoffBox,
} from './device/handoff/handoff-box.ts';
export { createIndexedDbKeys } from './device/keys/indexeddb-keys.ts';
export { createMemoryKeys, type DeviceKeys } from './device/keys/keys.ts';
export {
  type DeviceKey,
  type DeviceKeyPair,
  type DeviceOperation,
  exportDeviceKey,
  generateDeviceKeyPair,
  type SignedTextParts,
  signCall,
  signedText,
} from './device/keys/signing.ts';
export { type LaunchUrlParts, parseLaunchUrl } from './device/launch-url.ts';
export type { ProofCalls, UseProofOptions, WalletAnswer } from './device/proofs.ts';
export type {
  LocalSignInOptions,
  PersonDevice,
  TokenParts,
  VerificationCalls,
} from './device/verification.ts';
export { LimenConnectionError, type LimenConnectionErrorCode, LimenError, type LimenErrorCode } from './errors.ts';
export type { CallOptions } from './http/exchange.ts';
export { isTransient, type RetryOptions } from './http/retry.ts';
