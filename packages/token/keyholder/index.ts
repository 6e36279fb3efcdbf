// The key-holder's role: keys, scores and checks of probes. Storage, throttling and audit belong to
// the service.
export { checkShape } from './check-shape.ts';
export { type Identity, makeIdentity, signChallenge } from './identity.ts';
export { checkBalance } from './packed/check-balance.ts';
export { foldMaskedProbe, type ProbeSecret, packBlock, wipeProbeSecret } from './packed/reencrypt-folded.ts';
export { scoreBlocks } from './packed/score-blocks.ts';
export { reencrypt } from './reencrypt.ts';
export { scoreRows } from './score-memory.ts';
export { type KeyPair, makeKeyPair, openKey, type SecretKey, wipeKey } from './secret-key.ts';
