// Encrypts a face in the worker for the model that measured it.
import { ModelLoadError } from '../../loading/load-error.ts';
import type { FaceEncryptor } from '../../token/encrypt-face.ts';
import type { EncryptWish } from '../messages.ts';

const NAME_BYTES = 16;

/** Returns a model's name in tokens: the first bytes of its identity in base64url. */
export function nameModel(identity: string): string {
  const bytes = Array.from({ length: NAME_BYTES }, (_, i) => Number.parseInt(identity.slice(2 * i, 2 * i + 2), 16));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
}

export class FaceEncryption {
  readonly #loadEncryptor: () => Promise<FaceEncryptor>;
  readonly #identityOf: (role: 'embedding') => string | undefined;
  #encryptor: Promise<FaceEncryptor> | undefined;

  constructor(bring: () => Promise<FaceEncryptor>, identityOf: (role: 'embedding') => string | undefined) {
    this.#loadEncryptor = bring;
    this.#identityOf = identityOf;
  }

  /** Rejects if another model measured the face, because the token names the model. */
  async open(modelId: string): Promise<FaceEncryptor> {
    const model = this.#identityOf('embedding');
    if (model === undefined || nameModel(model) !== modelId) throw new ModelLoadError('mismatch');
    this.#encryptor ??= this.#loadEncryptor();
    return this.#encryptor.catch((error: unknown) => {
      this.#encryptor = undefined;
      throw error;
    });
  }

  async encrypt({ face, key, modelId }: EncryptWish): Promise<Uint8Array> {
    try {
      const { encrypt } = await this.open(modelId);
      return await encrypt(face, key, modelId); // awaited, so that the face is wiped afterwards
    } finally {
      face.fill(0);
    }
  }
}
