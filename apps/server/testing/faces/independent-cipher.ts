// Independent implementation of encryption version 1, by its description and node:crypto alone.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

export interface IndependentCipher {
  seal(field: string, text: string): string;
  /** Throws if the text does not open. */
  open(field: string, sealed: string): string;
}

export function createIndependentCipher(apiKey: string): IndependentCipher {
  const key = new Uint8Array(hkdfSync('sha256', apiKey, 'limen-node', 'v1', 32));
  return {
    seal(field, text) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(field));
      const sealed = [Buffer.of(1), nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()];
      return Buffer.concat(sealed).toString('base64url');
    },
    open(field, sealed) {
      const bytes = Buffer.from(sealed, 'base64url');
      if (bytes[0] !== 1) throw new Error('not version 1');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(1, 13)).setAAD(Buffer.from(field));
      decipher.setAuthTag(bytes.subarray(-16));
      return decipher.update(bytes.subarray(13, -16), undefined, 'utf8') + decipher.final('utf8');
    },
  };
}
