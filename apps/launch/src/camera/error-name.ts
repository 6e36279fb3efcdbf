// What a browser calls an error of a camera.

export function nameOf(error: unknown): string {
  // Not every browser makes an OverconstrainedError an Error.
  return typeof error === 'object' && error !== null && 'name' in error ? String(error.name) : '';
}
