// A person stored in this browser: the sealed face, and the key that identifies this device to the
// service.
import type { DeviceKeyPair } from '@limen/sdk/device';

/** The keys are CryptoKeys that scripts can use but not export. */
export interface PersonRecord {
  /** Id given by the service. */
  deviceId: string;
  gallery: string;
  /** Faces measured with another model cannot be compared. */
  modelId: string;
  /** Signs requests to the service for the person. */
  pair: DeviceKeyPair;
  key: CryptoKey;
  nonce: Uint8Array<ArrayBuffer>;
  sealed: ArrayBuffer;
  savedAt: number;
}

export type PersonFacts = Pick<PersonRecord, 'deviceId' | 'gallery' | 'modelId' | 'pair' | 'savedAt'>;

const CONTEXT = 'limen-person-v1';
const NONCE_BYTES = 12;

export async function sealPerson(face: Float32Array, facts: PersonFacts): Promise<PersonRecord> {
  const key = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']);
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const plain = Float32Array.from(face);
  try {
    return { ...facts, key, nonce, sealed: await crypto.subtle.encrypt(createSealParams(facts, nonce), key, plain) };
  } finally {
    plain.fill(0);
  }
}

/** Returns the face, which the caller must wipe; null if the seal does not verify. */
export async function openPerson(record: PersonRecord): Promise<Float32Array | null> {
  try {
    return new Float32Array(
      await crypto.subtle.decrypt(createSealParams(record, record.nonce), record.key, record.sealed),
    );
  } catch {
    return null;
  }
}

/** Binds the seal to the record. */
function createSealParams({ deviceId, gallery, modelId }: PersonFacts, iv: Uint8Array<ArrayBuffer>): AesGcmParams {
  const additionalData = new TextEncoder().encode([CONTEXT, gallery, modelId, deviceId].join('\n'));
  return { name: 'AES-GCM', iv, additionalData };
}
