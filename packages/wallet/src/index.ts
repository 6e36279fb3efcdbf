// Proofs of age from wallets: creates requests and verifies responses, with a verdict or a named
// refusal. Pure: no network, no disk, no clock.
export type { StatusReference } from './mdoc/mobile-security-object.ts';
export {
  findAgeFor,
  isProfileId,
  nameElement,
  PROFILES,
  type Profile,
  type ProfileId,
  type Protocol,
} from './profiles/profiles.ts';
export { REFUSALS, type Refusal, type RefusalCode, type RefusalResult } from './refusals.ts';
export {
  type CreatedRequest,
  createRequest,
  ENTROPY_BYTES,
  type RequestOptions,
  type WalletRequest,
} from './requests/create-request.ts';
export { type RequestSigner, readRequestSigner, SignerError, type SignerName } from './requests/request-signer.ts';
export type { RequestState } from './requests/request-state.ts';
export { type Proof, type Verdict, type VerifyOptions, verifyResponse } from './responses/verify-response.ts';
export { type CrlDescription, describeCrl } from './revocation/describe-crl.ts';
export { MAX_CRL_BYTES } from './revocation/read-crl.ts';
export {
  checkRevocation,
  openRevocationList,
  type RevocationList,
  type RevocationOptions,
  type RevocationReference,
} from './revocation/verify-revocation.ts';
export type { StatusList } from './status/status-list.ts';
export { checkStatus, openStatusList, type StatusOptions } from './status/verify-status.ts';
export {
  type AnchorDescription,
  AnchorError,
  describeAnchor,
  readAnchors,
  readSigners,
  type TrustAnchor,
  writeAnchor,
} from './trust/anchors.ts';
export { faultOfAnchor } from './trust/chain.ts';
export { importVical, type VicalOptions } from './trust/import-vical.ts';
export type { ImportedList } from './trust/imported-list.ts';
export { importTrustedList, type TrustedListOptions } from './trust/trusted-list/import-trusted-list.ts';
