// What a host application installs: the typed client, its errors and the types of what it returns.

export type {
  AgeOutcome,
  AgeSessionError,
  AgeSessionResult,
  CreateAgeSessionRequest,
  CreatedAgeSession,
  CreatedVerificationSession,
  CreateVerificationSessionRequest,
  Dataset,
  DatasetList,
  ErrorCode,
  ErrorDetail,
  Feature,
  Health,
  Indicators,
  ListedMatch,
  MatchedRow,
  RiskEvaluation,
  RiskSignal,
  ScreenedRow,
  ScreeningReply,
  ServiceDescriptor,
  SimulateAgeSessionRequest,
  SimulateVerificationSessionRequest,
  StringPage,
  StringRecord,
  VerificationFailure,
  VerificationSessionError,
  VerificationSessionResult,
  VerificationWebhook,
  WebhookDelivery,
  WebhookDeliveryPage,
} from '@limen/contract';
export type { DocumentType } from '@limen/plan';
export type {
  AgeSessionsClient,
  BearerToken,
  CreateAgeSessionOptions,
  ReadAgeSessionResult,
} from './age-sessions.ts';
export { createLimenClient, type LimenClient, type LimenClientOptions } from './client.ts';
export { LimenConnectionError, type LimenConnectionErrorCode, LimenError, type LimenErrorCode } from './errors.ts';
export type { CallOptions, ClientCredentials } from './exchange.ts';
export { jsonText } from './json-text.ts';
export { findMemberText } from './member-text.ts';
export type {
  EnrollOptions,
  NodeCallOptions,
  NodeClient,
  PlainNodeClient,
  PlainOptions,
  PredictOptions,
  VersionedCallOptions,
} from './node.ts';
export {
  createNodeCipher,
  type NodeCipher,
  NodeCipherError,
  type NodeCipherErrorCode,
  type NodeField,
} from './node-encryption.ts';
export type { Embedding, FaceFeature, FaceFeatures } from './node-features.ts';
export type {
  EnrolledPerson,
  EnrollResult,
  Person,
  PlainEnrollResult,
  PredictResult,
  ScoredPerson,
} from './node-replies.ts';
export type { RetryOptions } from './retry.ts';
export type { SanctionsClient, ScreenFileOptions } from './sanctions.ts';
export type { CreateStringOptions, IterateStringsOptions, ListStringsOptions, StringsClient } from './strings.ts';
export type { CreateVerificationSessionOptions, VerificationSessionsClient } from './verification-sessions.ts';
export {
  type VerifiedWebhook,
  type VerifyWebhookOptions,
  verifyWebhook,
  WebhookError,
  type WebhookErrorCode,
  type WebhookHeaders,
} from './verify-webhook.ts';
export type {
  IterateWebhookDeliveriesOptions,
  ListWebhookDeliveriesOptions,
  WebhookDeliveriesClient,
} from './webhook-deliveries.ts';
