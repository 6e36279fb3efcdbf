// New keys, by SEAL: an enrol key for a customer, or the one-time key of a challenge.
import { RING_DEGREE } from '../shared/parameters.ts';
import { packPublicKey } from '../shared/public-key.ts';
import { centre, transformBack } from '../shared/ring.ts';
import { loadSeal, PLAINTEXT_HEAD_BYTES, readWords, type Seal } from '../shared/seal.ts';
import { packSecret } from './secret-key.ts';

export interface KeyPair {
  /** 512 bytes; the caller seals or wipes them. */
  secret: Uint8Array;
  publicKey: Uint8Array;
}

let loading: Promise<Seal> | undefined;

export async function makeKeyPair(): Promise<KeyPair> {
  loading ??= loadSeal();
  const { library, context } = await loading;
  const generator = new library.KeyGenerator(context);
  const publicKey = generator.createPublicKeySerializable();
  const secretKey = generator.secretKey();
  const saved = secretKey.saveToArray(library.ComprModeType.none) as Uint8Array;
  const coefficients = new Int32Array(RING_DEGREE);
  try {
    readWords(saved, PLAINTEXT_HEAD_BYTES, 0, coefficients);
    transformBack(coefficients);
    for (let index = 0; index < RING_DEGREE; index++) {
      coefficients[index] = centre(coefficients[index]!);
    }
    if (coefficients.some((value) => Math.abs(value) > 1)) {
      throw new Error('SEAL wrote a secret key in another form than expected');
    }
    const packed = packPublicKey(publicKey.saveToArray(library.ComprModeType.none) as Uint8Array);
    return { secret: packSecret(coefficients), publicKey: packed };
  } finally {
    saved.fill(0);
    coefficients.fill(0);
    // SEAL clears the memory of a secret key when it goes.
    secretKey.delete();
    publicKey.delete();
    generator.delete();
  }
}
