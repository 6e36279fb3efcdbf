// The key-holder's identity: a P-256 key that signs challenges.
import {
  CHALLENGE_CURVE,
  CHALLENGE_SIGNATURE,
  type ChallengeTerms,
  writeChallengeText,
} from '../shared/challenge-text.ts';

export interface Identity {
  /** PKCS #8. The caller seals it. */
  privateKey: Uint8Array;
  /** 65 bytes of an uncompressed point. */
  publicKey: Uint8Array;
}

export async function makeIdentity(): Promise<Identity> {
  const pair = await crypto.subtle.generateKey(CHALLENGE_CURVE, true, ['sign', 'verify']);
  return {
    privateKey: new Uint8Array(await crypto.subtle.exportKey('pkcs8', pair.privateKey)),
    publicKey: new Uint8Array(await crypto.subtle.exportKey('raw', pair.publicKey)),
  };
}

/** 64 bytes, in Web Crypto's form. */
export async function signChallenge(privateKey: Uint8Array, terms: ChallengeTerms): Promise<Uint8Array> {
  const key = await crypto.subtle.importKey('pkcs8', new Uint8Array(privateKey), CHALLENGE_CURVE, false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign(CHALLENGE_SIGNATURE, key, await writeChallengeText(terms)));
}
