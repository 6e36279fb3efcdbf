// A test issuer and a test wallet for development, tests and the demo. Their attestations are
// marked as tests, which live keys never accept.
export { type Attestation, issueAttestation } from './issue-attestation.ts';
export { createTestIssuer, type TestIssuer } from './test-issuer.ts';
export { answerRequest, type ReadLink, readLink, type WalletAnswer, type WalletConduct } from './test-wallet.ts';
