// Seals tokens and blocks for the database and opens them again, each bound to its row and its people.
//
// A token is sealed with the number of its renewals behind it, in one byte, because each makes its scores err a little more. One
// that has none was never renewed, or not since they are counted.
import { BODY_BYTES } from '@limen/token/shared';
import type { PersonId } from '../../platform/base/ids.ts';
import { DataKeyUnknown, type Sealer } from '../../platform/sealing/sealer.ts';

interface TokenPlace {
  id: string;
  personId: PersonId;
}

interface BlockPlace {
  galleryId: string;
  id: string;
  epoch: string;
  /** In the order of their places. */
  members: readonly BlockMember[];
}

/** A token by its number in the gallery, and whose it is. */
export interface BlockMember {
  tokenSeq: number;
  personId: PersonId;
}

interface SealedToken {
  body: Uint8Array;
  /** How often it was moved to another key; 255 stands for that and more. */
  renewals: number;
}

const MOST_RENEWALS = 255;

export type TokenSeal = ReturnType<typeof createTokenSeal>;

export function createTokenSeal(sealer: Sealer) {
  const openAt = (place: string, sealed: Uint8Array) => {
    try {
      return sealer.open(sealed, place);
    } catch (error) {
      if (error instanceof DataKeyUnknown) throw error;
      return null;
    }
  };
  return {
    seal(place: TokenPlace, { body, renewals }: SealedToken): Buffer {
      const count = renewals === 0 ? [] : [Buffer.of(Math.min(renewals, MOST_RENEWALS))];
      return sealer.seal(Buffer.concat([body, ...count]), tokenPlace(place));
    },
    /** Null for what does not open here: it is damaged, or was somebody else's. */
    open(place: TokenPlace, sealed: Uint8Array): SealedToken | null {
      const bytes = openAt(tokenPlace(place), sealed);
      return bytes && { body: bytes.subarray(0, BODY_BYTES), renewals: bytes[BODY_BYTES] ?? 0 };
    },
    sealBlock: (place: BlockPlace, block: Uint8Array) => sealer.seal(block, blockPlace(place)),
    openBlock: (place: BlockPlace, sealed: Uint8Array): Uint8Array | null => openAt(blockPlace(place), sealed),
  };
}

export function tokenPlace({ id, personId }: TokenPlace): string {
  return `tokens/sealed/${id}/${personId}`;
}

/**
 * With the people in their order: somebody who exchanges two of them has a block that does not open. With their tokens, by which the
 * database deletes a block and finds out who is in one: else it could outlive a face, or keep somebody else's from being
 * compared. And with the key: under another one everybody of it would score at random.
 */
export function blockPlace({ galleryId, id, epoch, members }: BlockPlace): string {
  const places = members.map(({ tokenSeq, personId }) => `${tokenSeq}/${personId}`);
  return `token_blocks/sealed/${galleryId}/${id}/${epoch}/${places.join('/')}`;
}
