// The rotations of the galleries that were used last: making one takes as long as rotating forty vectors.
import type { Sealer } from '../../../platform/sealing/sealer.ts';
import { createSecretRotation, type SecretRotation } from './secret-rotation.ts';

/** One takes 1 MB at 512 dimensions. */
const MAX_KEPT = 16;

export interface SecretRotationCache {
  of(gallery: { id: string; dimensions: number }): SecretRotation;
}

/**
 * The secret of a gallery comes from a data key that the master key wraps: changing the master key leaves it as it is, so
 * no vector has to move. Whoever has neither the master key nor the memory of a process cannot make it.
 */
export function createSecretRotationCache(sealer: Sealer): SecretRotationCache {
  const kept = new Map<string, SecretRotation>();
  return {
    of({ id, dimensions }) {
      const rotation = kept.get(id) ?? createSecretRotation(dimensions, sealer.digest('galleries/rotation', id));
      kept.delete(id);
      kept.set(id, rotation);
      const oldest = kept.keys().next().value;
      if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
      return rotation;
    },
  };
}
