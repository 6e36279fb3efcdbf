// The encrypted connection between service and key-holder. Both sides prove that they know the secret.
import { constants, hkdfSync } from 'node:crypto';
import type { TlsOptions } from 'node:tls';

/** Services of earlier versions do not name the secret that they prove. */
const UNNAMED = 'limen';

/** TLS 1.2, because Node has no pre-shared keys in 1.3. The key exchange is ephemeral; without tickets, each connection proves the secret. */
const PROTOCOL = {
  ciphers: 'ECDHE-PSK-CHACHA20-POLY1305',
  ecdhCurve: 'X25519',
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.2',
  secureOptions: constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_RENEGOTIATION,
} as const;

/** Accepts each of the secrets. An unnamed one is the last, which is the one being replaced. */
export function serverTls(secrets: readonly string[]): TlsOptions {
  const keys = new Map(secrets.map((secret) => [deriveKeyName(secret), deriveKey(secret)]));
  keys.set(UNNAMED, deriveKey(secrets.at(-1)!));
  return { ...PROTOCOL, pskCallback: (_socket, identity) => keys.get(identity) ?? null };
}

export function clientTls(secret: string) {
  const proof = { psk: deriveKey(secret), identity: deriveKeyName(secret) };
  return {
    ...PROTOCOL,
    pskCallback: () => proof,
    // There is no certificate with a name to check: the secret authenticates the server.
    checkServerIdentity: () => undefined,
  };
}

function deriveKey(secret: string): Buffer {
  return derive(secret, 'tls psk v1', 32);
}

/** Sent in clear text: long enough to tell two secrets apart, and too short to guess a secret from. */
function deriveKeyName(secret: string): string {
  return `${UNNAMED} ${derive(secret, 'tls psk name', 4).toString('hex')}`;
}

function derive(secret: string, purpose: string, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, 'limen-keyholder', purpose, bytes));
}
