// Reads the face tokens as a thief of the database and its keys could.
import { createTokenSeal } from '../../src/faces/tokens/seal.ts';
import type { Database } from '../../src/platform/database/database.ts';
import type { Sealer } from '../../src/platform/sealing/sealer.ts';

export async function openStoredTokens({ queries }: Pick<Database, 'queries'>, sealer: Sealer) {
  const seal = createTokenSeal(sealer);
  const rows = await queries.selectFrom('tokens').selectAll().orderBy('seq').execute();
  return rows.map(({ id, person_id: personId, epoch, sealed }) => {
    const token = seal.open(id, personId, sealed);
    if (!token) throw new Error('a token does not open');
    return { id, personId, epoch, ...token };
  });
}
