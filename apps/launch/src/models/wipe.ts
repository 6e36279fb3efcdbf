// Overwrites personal data in replies: pixels, photos and face embeddings.

/** Lists the buffers of all typed arrays, however deep. Transferring them removes the data. */
export function listBuffers(value: unknown): ArrayBuffer[] {
  if (ArrayBuffer.isView(value)) return [value.buffer as ArrayBuffer];
  if (typeof value !== 'object' || value === null) return [];
  return [...new Set(Object.values(value).flatMap(listBuffers))];
}

export function wipe(value: unknown): void {
  for (const buffer of listBuffers(value)) new Uint8Array(buffer).fill(0);
}
