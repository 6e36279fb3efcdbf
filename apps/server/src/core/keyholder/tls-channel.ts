// The encrypted connection between service and key-holder: both sides prove that they know one secret, and no third can.
import { constants, hkdfSync } from 'node:crypto';
import type { TlsOptions } from 'node:tls';

const IDENTITY = 'limen';

/**
 * TLS 1.2, because Node has no pre-shared keys in 1.3. The key exchange is ephemeral: a secret that leaks later opens no
 * recorded connection. No tickets: each connection proves the secret again.
 */
const PROTOCOL = {
  ciphers: 'ECDHE-PSK-CHACHA20-POLY1305',
  ecdhCurve: 'X25519',
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.2',
  secureOptions: constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_RENEGOTIATION,
} as const;

export function serverTls(secret: string): TlsOptions {
  const key = keyOf(secret);
  return { ...PROTOCOL, pskCallback: (_socket, identity) => (identity === IDENTITY ? key : null) };
}

export function clientTls(secret: string) {
  const key = keyOf(secret);
  return {
    ...PROTOCOL,
    pskCallback: () => ({ psk: key, identity: IDENTITY }),
    // There is no certificate whose name could be looked at: the secret is what proves the other side.
    checkServerIdentity: () => undefined,
  };
}

function keyOf(secret: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, 'limen-keyholder', 'tls psk v1', 32));
}
