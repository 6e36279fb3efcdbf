// The refusal of a dataset that there is not, which names those that there are.
import { AppError } from '../../../platform/base/errors.ts';
import { COLLECTIONS } from '../folder/names.ts';

export function unknownDataset(names: readonly string[]): AppError {
  const known = [...names].sort().join(', ');
  return new AppError(
    'not_found',
    `There is no dataset with this name. There are ${known}, and the collections ${COLLECTIONS.join(', ')}.`,
  );
}
