// Reads a property of a track; null if that throws or has no value.

export function attempt<Result>(read: () => Result | undefined): Result | null {
  try {
    return read() ?? null;
  } catch {
    return null;
  }
}
