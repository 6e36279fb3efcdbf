// The refusal of a search that the gallery does not stand still for.
import { AppError } from '../../../platform/base/errors.ts';

export function tryAgain(): AppError {
  return new AppError('unavailable', 'The gallery is changing at the moment; try again.', {
    headers: { 'retry-after': '1' },
  });
}
