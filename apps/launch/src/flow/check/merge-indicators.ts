// The signs of misuse of all steps together: each may have had another camera.
import type { SeenIndicators } from '@limen/contract';

type Indicators = NonNullable<SeenIndicators>;

export function mergeIndicators(one: Indicators | undefined, other: Indicators): Indicators {
  const join = (group: keyof Indicators) => [...new Set([...(one?.[group] ?? []), ...other[group]])];
  return {
    headless: join('headless'),
    virtualCamera: join('virtualCamera'),
    browserAnomalies: join('browserAnomalies'),
  };
}
