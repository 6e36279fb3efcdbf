// Seals tokens and blocks for the database, each bound to its row and people.
import { BODY_BYTES } from '@limen/token/shared';
import type { PersonId } from '../../platform/base/ids.ts';
import type { Schema } from '../../platform/database/schema.ts';
import { type Sealer, UnknownDataKeyError } from '../../platform/sealing/sealer.ts';
import { tables } from '../tables.ts';

/** A token by its number in the gallery, and its person. */
export interface BlockMember {
  tokenSeq: number;
  personId: PersonId;
}

interface SealedToken {
  body: Uint8Array;
  /** Moves to another key, up to 255. Each makes the scores a little less accurate. */
  renewals: number;
}

const MOST_RENEWALS = 255;

export type TokenSeal = ReturnType<typeof createTokenSeal>;

/** The `open` functions return null for a row that does not open: it is damaged, or belonged to another person. */
export function createTokenSeal(sealer: Sealer) {
  const openAt = (place: string, sealed: Uint8Array) => {
    try {
      return sealer.open(sealed, place);
    } catch (error) {
      if (error instanceof UnknownDataKeyError) throw error;
      return null;
    }
  };
  const placeOf = (id: string, personId: PersonId) => tables.tokens.places.sealed({ id, person_id: personId });
  return {
    /** Appends the number of renewals in one byte, if there are any. */
    seal(id: string, personId: PersonId, { body, renewals }: SealedToken): Buffer {
      const count = renewals === 0 ? [] : [Buffer.of(Math.min(renewals, MOST_RENEWALS))];
      return sealer.seal(Buffer.concat([body, ...count]), placeOf(id, personId));
    },
    open(id: string, personId: PersonId, sealed: Uint8Array): SealedToken | null {
      const bytes = openAt(placeOf(id, personId), sealed);
      return bytes && { body: bytes.subarray(0, BODY_BYTES), renewals: bytes[BODY_BYTES] ?? 0 };
    },
    sealBlock: (row: Omit<Schema['token_blocks'], 'sealed'>, block: Uint8Array) =>
      sealer.seal(block, tables.token_blocks.places.sealed(row)),
    openBlock: (row: Schema['token_blocks']): Uint8Array | null =>
      openAt(tables.token_blocks.places.sealed(row), row.sealed),
  };
}
