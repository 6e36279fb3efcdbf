// Seals tokens for the database and opens them again, each bound to its row and its person.
import type { PersonId } from '../../platform/ids.ts';
import { DataKeyUnknown, type Sealer } from '../../platform/sealing/sealer.ts';

interface TokenPlace {
  id: string;
  personId: PersonId;
}

export interface TokenSeal {
  seal(place: TokenPlace, body: Uint8Array): Buffer;
  /** Null for what does not open here: it is damaged, or was somebody else's. */
  open(place: TokenPlace, sealed: Uint8Array): Uint8Array | null;
}

export function createTokenSeal(sealer: Sealer): TokenSeal {
  return {
    seal: (place, body) => sealer.seal(body, tokenPlace(place)),
    open(place, sealed) {
      try {
        return sealer.open(sealed, tokenPlace(place));
      } catch (error) {
        if (error instanceof DataKeyUnknown) throw error;
        return null;
      }
    },
  };
}

export function tokenPlace({ id, personId }: TokenPlace): string {
  return `tokens/sealed/${id}/${personId}`;
}
