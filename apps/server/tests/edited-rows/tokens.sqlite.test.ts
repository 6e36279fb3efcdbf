// Edited rows of face tokens allow no sign-in as another person.
import { describe, expect, it } from 'vitest';
import { pickByPerson, tryEveryEdit } from '#testing/edited-rows/edit-rows.ts';
import { openTokenPlace } from '#testing/edited-rows/places.ts';
import { addPerson, openTokenProcess, signIn } from '#testing/processes/token-process.ts';
import { randomVector } from '../../../../packages/token/testing/vectors.ts';

describe('an edited row', () => {
  it("of tokens lets no face pass for another person's", async () => {
    const { place, keyHolder } = await openTokenPlace();
    const first = await openTokenProcess(place, { keyHolder });
    const faces = [randomVector(), randomVector()];
    const [victim, thief] = [await addPerson(first, faces[0]!), await addPerson(first, faces[1]!)];
    expect(await signIn(first, faces[1]!)).toMatchObject({ personId: thief.personId });
    const pick = pickByPerson(victim.personId, thief.personId);
    await tryEveryEdit(first.database, 'tokens', pick, async (edit) => {
      const fresh = await openTokenProcess(place, { keyHolder }); // Loads its index from the edited rows.
      const found = await signIn(fresh, faces[1]!);
      expect(found.kind === 'match' && found.personId === victim.personId, edit).toBe(false);
    });
  });
});
