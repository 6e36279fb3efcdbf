// Verifies that a challenge comes from the key-holder whose identity the device knows.
import {
  CHALLENGE_CURVE,
  CHALLENGE_SIGNATURE,
  type ChallengeTerms,
  writeChallengeText,
} from '../shared/challenge-text.ts';

/** `identity` is the key-holder's public key, 65 bytes of an uncompressed P-256 point. */
export async function verifyChallenge(identity: Uint8Array, terms: ChallengeTerms, signature: Uint8Array) {
  try {
    const key = await crypto.subtle.importKey('raw', new Uint8Array(identity), CHALLENGE_CURVE, false, ['verify']);
    const text = await writeChallengeText(terms);
    return await crypto.subtle.verify(CHALLENGE_SIGNATURE, key, new Uint8Array(signature), text);
  } catch {
    // The bytes are not a key.
    return false;
  }
}
