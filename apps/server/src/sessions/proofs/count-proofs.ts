// Counts the passkeys and devices of people, for `limen people list`.
import type { PersonId } from '../../platform/base/ids.ts';
import type { Queries } from '../../platform/database/database.ts';

export async function countProofs(queries: Queries, people: readonly PersonId[]) {
  const count = async (table: 'passkeys' | 'person_devices') => {
    if (people.length === 0) return new Map<PersonId, number>();
    const rows = await queries
      .selectFrom(table)
      .select(({ fn }) => ['person_id', fn.countAll<number | string>().as('count')])
      .where('person_id', 'in', people)
      .groupBy('person_id')
      .execute();
    return new Map(rows.map((row) => [row.person_id, Number(row.count)]));
  };
  return { passkeys: await count('passkeys'), devices: await count('person_devices') };
}
