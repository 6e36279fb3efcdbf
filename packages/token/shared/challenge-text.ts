// The text that the key-holder signs for a challenge, so that a device can verify the one-time key.

export interface ChallengeTerms {
  challenge: string;
  purpose: 'enrol' | 'identify' | 'verify';
  session: string;
  /** Milliseconds since 1970. */
  expiresAt: number;
  publicKey: Uint8Array;
}

export const CHALLENGE_SIGNATURE = { name: 'ECDSA', hash: 'SHA-256' } as const;
export const CHALLENGE_CURVE = { name: 'ECDSA', namedCurve: 'P-256' } as const;

export async function writeChallengeText({ challenge, purpose, session, expiresAt, publicKey }: ChallengeTerms) {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array(publicKey)));
  const hex = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
  const lines = ['limen-token-challenge-v1', challenge, purpose, session, String(expiresAt), hex];
  return new TextEncoder().encode(lines.join('\n'));
}
