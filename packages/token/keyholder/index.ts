// The key-holder's role: keys, scores, the checks of a probe. Storage, throttling and audit are the service's.
export { checkShape } from './check-shape.ts';
export { type Identity, makeIdentity, signChallenge } from './identity.ts';
export { type KeyPair, makeKeyPair } from './make-key-pair.ts';
export { reencrypt } from './reencrypt.ts';
export { scoreRows } from './score-rows.ts';
export { openKey, type SecretKey, wipeKey } from './secret-key.ts';
