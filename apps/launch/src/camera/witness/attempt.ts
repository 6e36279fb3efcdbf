// Asks a track about itself: browsers and what poses as a track may have no answer, or throw.

export function attempt<Result>(read: () => Result | undefined): Result | null {
  try {
    return read() ?? null;
  } catch {
    return null;
  }
}
