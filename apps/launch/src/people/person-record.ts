// What this browser keeps of a person: their face, sealed, and the key that the service knows this device by.
import type { DeviceKeyPair } from '@limen/sdk/device';

/** The keys are the platform's objects, which scripts can use but not read. */
export interface PersonRecord {
  /** As the service gave it. */
  deviceId: string;
  gallery: string;
  /** Faces that were measured with another model cannot be compared. */
  modelId: string;
  /** Signs for the person towards the service. */
  pair: DeviceKeyPair;
  /** Opens `sealed`. */
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
    return { ...facts, key, nonce, sealed: await crypto.subtle.encrypt(how(facts, nonce), key, plain) };
  } finally {
    plain.fill(0);
  }
}

/** For who wipes it after use. Null where it does not open any more. */
export async function openPerson(record: PersonRecord): Promise<Float32Array | null> {
  try {
    return new Float32Array(await crypto.subtle.decrypt(how(record, record.nonce), record.key, record.sealed));
  } catch {
    return null;
  }
}

/** One record's seal does not open another's. */
function how({ deviceId, gallery, modelId }: PersonFacts, iv: Uint8Array<ArrayBuffer>): AesGcmParams {
  const additionalData = new TextEncoder().encode([CONTEXT, gallery, modelId, deviceId].join('\n'));
  return { name: 'AES-GCM', iv, additionalData };
}
