// Encrypts a face in the worker. The library comes from the page's own origin, and only for a
// token.

import wasmUrl from 'virtual:seal.wasm?url';
import { type DeviceKey, openDevice, type TokenDevice, verifyChallenge } from '@limen/token/device';

/** One-time key from the service, with the key-holder's signature. */
export interface ChallengeKey extends DeviceKey {
  purpose: 'enrol' | 'identify' | 'verify';
  session: string;
  expiresAt: number;
  identity: Uint8Array;
  signature: Uint8Array;
}

export type FaceEncryptor = Awaited<ReturnType<typeof openFaceEncryptor>>;

export async function openFaceEncryptor() {
  const device: TokenDevice = await openDevice({ wasmUrl: new URL(wasmUrl, import.meta.url).href });
  return {
    /** Rejects if the key does not belong to this session and challenge. */
    async encrypt(
      face: Float32Array,
      { purpose, session, expiresAt, identity, signature, ...key }: ChallengeKey,
      modelId: string,
    ): Promise<Uint8Array> {
      const terms = { challenge: key.keyId, purpose, session, expiresAt, publicKey: key.publicKey };
      if (!(await verifyChallenge(identity, terms, signature))) throw new Error('the key is not of this challenge');
      return device.encrypt(face, key, modelId);
    },
  };
}
