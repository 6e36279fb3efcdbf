// Searches files and text for pieces of a picture, as bytes and base64.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const PIECES = 16;
const PIECE_BYTES = 24;

/** Returns the names of the files, or `text`, that contain a piece of the picture. */
export async function findTraces(
  picture: Buffer,
  { folder, text }: { folder: string; text: string },
): Promise<string[]> {
  const pieces = cutPieces(picture);
  const hasOne = (content: Buffer) => pieces.some((piece) => content.includes(piece));
  const found = hasOne(Buffer.from(text)) ? ['text'] : [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    // Skips sockets and the models, which are larger than everything else.
    if (!entry.isFile() || entry.name.endsWith('.onnx')) continue;
    const path = join(entry.parentPath, entry.name);
    if (hasOne(await readFile(path))) found.push(path);
  }
  return found;
}

/** Skips the header, which many pictures share. */
function cutPieces(picture: Buffer): Buffer[] {
  const first = Math.min(700, picture.length / 2);
  const step = (picture.length - first - PIECE_BYTES - 3) / PIECES;
  const starts = Array.from({ length: PIECES }, (_, index) => Math.floor(first + index * step));
  return starts.flatMap((start) => {
    // Base64 encodes groups of three bytes, so one of three offsets matches.
    const shifted = [0, 1, 2].map((by) => picture.subarray(start + by, start + by + PIECE_BYTES));
    return [shifted[0]!, ...shifted.map((part) => Buffer.from(part.toString('base64')))];
  });
}
