// How a screen can be turned, by the names that browsers have for it; without schemas, for the page.
export const SCREEN_ORIENTATIONS = [
  'portrait-primary',
  'portrait-secondary',
  'landscape-primary',
  'landscape-secondary',
] as const;
