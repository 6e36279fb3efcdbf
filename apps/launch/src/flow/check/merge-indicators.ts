// The signs of misuse of all steps together: each may have had another camera.
import type { SeenIndicators } from '@limen/contract';
import { CAMERA_SIGN_NAMES, type CameraSign } from '@limen/plan';

type Indicators = NonNullable<SeenIndicators>;

export function mergeIndicators(one: Indicators | undefined, other: Indicators): Indicators {
  const join = (group: keyof Indicators) => [...new Set([...(one?.[group] ?? []), ...other[group]])];
  return {
    headless: join('headless'),
    virtualCamera: join('virtualCamera'),
    browserAnomalies: join('browserAnomalies'),
  };
}

export function mergeCameraSigns(...lists: readonly (readonly CameraSign[] | undefined)[]): CameraSign[] {
  const seen = new Set(lists.flatMap((list) => list ?? []));
  return CAMERA_SIGN_NAMES.filter((name) => seen.has(name));
}
