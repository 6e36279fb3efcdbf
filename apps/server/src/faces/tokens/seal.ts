// Seals tokens and blocks for the database and opens them again, each bound to its row and its people.
//
// A token is sealed with the number of its renewals behind it, in one byte, because each makes its scores err a little more. One
// that has none was never renewed, or not since they are counted.
import { BODY_BYTES } from '@limen/token/shared';
import type { PersonId } from '../../platform/base/ids.ts';
import type { Schema } from '../../platform/database/schema.ts';
import { DataKeyUnknown, type Sealer } from '../../platform/sealing/sealer.ts';
import { tables } from '../tables.ts';

type BlockRow = Schema['token_blocks'];

interface TokenPlace {
  id: string;
  personId: PersonId;
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
      return sealer.seal(
        Buffer.concat([body, ...count]),
        tables.tokens.places.sealed({ id: place.id, person_id: place.personId }),
      );
    },
    /** Null for what does not open here: it is damaged, or was somebody else's. */
    open(place: TokenPlace, sealed: Uint8Array): SealedToken | null {
      const bytes = openAt(tables.tokens.places.sealed({ id: place.id, person_id: place.personId }), sealed);
      return bytes && { body: bytes.subarray(0, BODY_BYTES), renewals: bytes[BODY_BYTES] ?? 0 };
    },
    sealBlock: (row: Omit<BlockRow, 'sealed'>, block: Uint8Array) =>
      sealer.seal(block, tables.token_blocks.places.sealed(row)),
    openBlock: (row: BlockRow): Uint8Array | null => openAt(tables.token_blocks.places.sealed(row), row.sealed),
  };
}
