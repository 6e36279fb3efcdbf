// What a host application installs: the typed client, its errors and the types of what it returns.
export type {
  Dataset,
  DatasetList,
  ErrorCode,
  ErrorDetail,
  Health,
  ListedMatch,
  MatchedRow,
  ScreenedRow,
  ScreeningReply,
  ServiceDescriptor,
  StringPage,
  StringRecord,
} from '@limen/contract';
export { createLimenClient, type LimenClient, type LimenClientOptions } from './client.ts';
export { LimenConnectionError, type LimenConnectionErrorCode, LimenError, type LimenErrorCode } from './errors.ts';
export type { CallOptions } from './exchange.ts';
export type { RetryOptions } from './retry.ts';
export type { SanctionsClient, ScreenFileOptions } from './sanctions.ts';
export type { CreateStringOptions, IterateStringsOptions, ListStringsOptions, StringsClient } from './strings.ts';
