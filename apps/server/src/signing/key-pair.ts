// A P-256 key pair as it is kept: a JWK, sealed to all that its row says.
import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { World } from '../platform/base/world.ts';
import type { Sealer } from '../platform/sealing/sealer.ts';
import type { SigningKeyRow } from './store.ts';
import { tables } from './tables.ts';

export interface PublicPart {
  kty: 'EC';
  crv: 'P-256';
  x: string;
  y: string;
}

/** `d` until another key signs. */
export type KeptKey = PublicPart & { d?: string };

export function createKeyPairs(sealer: Pick<Sealer, 'sealJson' | 'openJson'>) {
  const pairs = {
    make(facts: Pick<SigningKeyRow, 'world' | 'number' | 'created_at' | 'signs_from'>) {
      const kept = generate();
      const row = { id: nameKey(facts.world, kept), ...facts };
      return { ...row, sealed: sealer.sealJson(kept, places.sealed(row)) };
    },
    /** Throws where the row was edited, or put together from others. */
    open: (row: SigningKeyRow) => sealer.openJson(row.sealed, places.sealed(row)) as KeptKey,
    /** The same without the private part. */
    sealWithoutPrivate: (row: SigningKeyRow) => sealer.sealJson(publicPartOf(pairs.open(row)), places.sealed(row)),
  };
  return pairs;
}

const { places } = tables.signing_keys;

export type KeyPairs = ReturnType<typeof createKeyPairs>;

export function publicPartOf({ kty, crv, x, y }: KeptKey): PublicPart {
  return { kty, crv, x, y };
}

export function privateKeyOf(kept: KeptKey): KeyObject | undefined {
  return kept.d === undefined ? undefined : createPrivateKey({ key: { ...kept }, format: 'jwk' });
}

function generate(): KeptKey {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ format: 'jwk' }) as KeptKey;
}

/** With the world, so that a verifier who found the key by its name knows what it may sign. */
function nameKey(world: World, { kty, crv, x, y }: KeptKey): string {
  // RFC 7638, 3: the required members in the order of their names.
  const thumbprint = createHash('sha256').update(JSON.stringify({ crv, kty, x, y }));
  return `${world}-${thumbprint.digest('base64url')}`;
}
