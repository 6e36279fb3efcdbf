// A match of a row that tells more than name and date of birth, as the reply to a file has it.
import type { ListedMatch } from '@limen/contract';
import { type SubjectMatch, showEntity } from '@limen/screening';

export function writeListedMatch({ entity, matchedName, score, features }: SubjectMatch): ListedMatch {
  const { id, caption, schema, ...shown } = showEntity(entity);
  const { birthDate: born, ...compared } = features;
  const ofDate = entity.birthDates.length === 0 ? 'not given and not listed' : 'not given';
  return {
    id,
    caption,
    schema,
    matchedName,
    score,
    ...shown,
    explanation: {
      name: Object.values(compared)
        .map(({ detail }) => detail)
        .join('; '),
      birthDate: born?.detail ?? ofDate,
    },
  };
}
