// Entry point for host applications: the client, its errors and its types.

export type {
  AgeOutcome,
  AgeSessionError,
  AgeSessionResult,
  CreateAgeSessionRequest,
  CreatedAgeSession,
  CreatedString,
  CreatedVerificationSession,
  CreateVerificationSessionRequest,
  Dataset,
  DatasetList,
  DecidedHit,
  DecideHitRequest,
  DeletedKind,
  ErrorCode,
  ErrorDetail,
  Feature,
  FieldWarning,
  Health,
  HitDecision,
  Indicators,
  ListedMatch,
  MatchedRow,
  MatchReply,
  MatchRequest,
  RiskEvaluation,
  RiskSignal,
  ScreenedRow,
  ScreeningAlert,
  ScreeningAlertPage,
  ScreeningReply,
  ScreeningSubject,
  ServiceDescriptor,
  SimulateAgeSessionRequest,
  SimulateVerificationSessionRequest,
  StringPage,
  StringRecord,
  SubjectEvidence,
  SubjectImport,
  SubjectMatch,
  SubjectResult,
  VerificationFailure,
  VerificationSessionError,
  VerificationSessionResult,
  VerificationWebhook,
  WatchedHit,
  WatchedHits,
  WatchedSubject,
  WatchedSubjectCount,
  WatchedSubjectPage,
  WatchSubjectRequest,
  WebhookBodies,
  WebhookDelivery,
  WebhookDeliveryPage,
  WithdrawDecisionRequest,
} from '@limen/contract';
export type { DocumentType } from '@limen/plan';
export { createLimenClient, type LimenClient, type LimenClientOptions } from './client.ts';
export { LimenConnectionError, type LimenConnectionErrorCode, LimenError, type LimenErrorCode } from './errors.ts';
export type {
  AgeSessionsClient,
  BearerToken,
  CreateAgeSessionOptions,
  ReadAgeSessionResult,
} from './host/age-sessions.ts';
export { decide, type HostAction, type HostDecision } from './host/decide.ts';
export type { SanctionsClient, ScreenFileOptions } from './host/sanctions.ts';
export type { ScreeningClient } from './host/screening.ts';
export type { CreateStringOptions, IterateStringsOptions, ListStringsOptions, StringsClient } from './host/strings.ts';
export type { CreateVerificationSessionOptions, VerificationSessionsClient } from './host/verification-sessions.ts';
export {
  type VerifiedWebhook,
  type VerifyWebhookOptions,
  verifyWebhook,
  WebhookError,
  type WebhookErrorCode,
  type WebhookEvent,
  type WebhookHeaders,
} from './host/verify-webhook.ts';
export type { ImportSubjectsOptions, ScreeningAlertsClient, WatchedSubjectsClient } from './host/watched-subjects.ts';
export type {
  IterateWebhookDeliveriesOptions,
  ListWebhookDeliveriesOptions,
  WebhookDeliveriesClient,
} from './host/webhook-deliveries.ts';
export type { CallOptions, ClientCredentials } from './http/exchange.ts';
export type { ReceiptOptions, SignedOptions } from './http/options.ts';
export type { RetryOptions } from './http/retry.ts';
export {
  createNodeCipher,
  type NodeCipher,
  NodeCipherError,
  type NodeCipherErrorCode,
  type NodeField,
} from './node/encryption.ts';
export type { Embedding, FaceFeature, FaceFeatures } from './node/features.ts';
export type {
  EnrollOptions,
  NodeCallOptions,
  NodeClient,
  PlainNodeClient,
  PlainOptions,
  PredictOptions,
  VersionedCallOptions,
} from './node/node.ts';
export type {
  EnrolledPerson,
  EnrollResult,
  Person,
  PlainEnrollResult,
  PredictResult,
  ScoredPerson,
} from './node/replies.ts';
export type { KeySet } from './signed/key-source.ts';
export { SignedError, type SignedErrorCode } from './signed/signed-error.ts';
export { type VerifiedReceipt, type VerifyReceiptOptions, verifyReceipt } from './signed/verify-receipt.ts';
export {
  type SignedAgeResult,
  type SignedEvidence,
  type VerifiedResult,
  verifyResult,
} from './signed/verify-result.ts';
export type { VerifySignedOptions } from './signed/verify-token.ts';
export { jsonText } from './text/json-text.ts';
export { findMemberText } from './text/member-text.ts';
