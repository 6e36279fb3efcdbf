// Encryption version 1 of the biometric node, under a key derived from the API key: features in requests, `puid` and `guid`
// in replies. docs/node.md#encryption describes it with test vectors.
import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, randomBytes } from 'node:crypto';

export const ENCRYPTION_VERSION = 1;
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const BASE64URL = /^[A-Za-z0-9_-]+$/;

export type EncryptedField = 'features' | 'puid' | 'guid';

export type NodeCipher = ReturnType<typeof createNodeCipher>;

export function createNodeCipher(apiKey: string) {
  const derived = hkdfSync('sha256', apiKey, 'limen-node', `v${ENCRYPTION_VERSION}`, KEY_BYTES);
  const key = createSecretKey(Buffer.from(derived));
  return {
    encrypt(field: EncryptedField, text: string): string {
      // Random nonces suffice for 2^32 texts per API key, both directions together (NIST SP 800-38D, 8.3).
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      cipher.setAAD(Buffer.from(field));
      const parts = [Buffer.of(ENCRYPTION_VERSION), nonce, cipher.update(text, 'utf8'), cipher.final()];
      return Buffer.concat([...parts, cipher.getAuthTag()]).toString('base64url');
    },
    /** Returns undefined if the text was changed, or is of another key, field or version. */
    decrypt(field: EncryptedField, sealed: string): Buffer | undefined {
      if (!BASE64URL.test(sealed)) return undefined;
      const bytes = Buffer.from(sealed, 'base64url');
      // The decoder ignores stray bits at the end, but only one spelling is accepted.
      if (bytes.toString('base64url') !== sealed) return undefined;
      if (bytes[0] !== ENCRYPTION_VERSION || bytes.length < 1 + NONCE_BYTES + TAG_BYTES) return undefined;
      const nonce = bytes.subarray(1, 1 + NONCE_BYTES);
      const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(field));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      try {
        return Buffer.concat([decipher.update(bytes.subarray(1 + NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
      } catch {
        return undefined;
      }
    },
  };
}
