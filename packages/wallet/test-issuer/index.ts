// An issuer of attestations and a wallet that answers requests with them: for development, tests and the demo. What they make
// is marked as of a test issuer, which a live key never takes.
export { type Attestation, issueAttestation } from './issue-attestation.ts';
export { createTestIssuer, type TestIssuer } from './test-issuer.ts';
export { answerRequest, type ReadLink, readLink, type WalletAnswer, type WalletConduct } from './test-wallet.ts';
