// Overwrites what replies carry of a person: pixels, photos, the numbers that tell one face from another.

/** Of all arrays of numbers in the value, however deep. What is handed over by them is not there any more. */
export function buffersOf(value: unknown): ArrayBuffer[] {
  if (ArrayBuffer.isView(value)) return [value.buffer as ArrayBuffer];
  if (typeof value !== 'object' || value === null) return [];
  return [...new Set(Object.values(value).flatMap(buffersOf))];
}

/** Once nobody needs it any more, or where nobody waits for it. */
export function wipe(value: unknown): void {
  for (const buffer of buffersOf(value)) new Uint8Array(buffer).fill(0);
}
