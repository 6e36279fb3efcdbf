// The index file of a list, in pieces in the database: how it comes from a machine that has it to one that has not.
import { createReadStream } from 'node:fs';
import type { DatasetInfo } from '../folder/dataset-folder.ts';
import type { SharedListStore } from './store.ts';

/** A row and what is in memory of it at once. */
const PART_BYTES = 2 ** 20;

/** A piece is missing, or the whole is not what it should be. */
export class PartsBroken extends Error {
  override readonly name = 'PartsBroken';
}

export function countParts({ indexSum }: DatasetInfo): number {
  return Math.ceil((indexSum?.bytes ?? 0) / PART_BYTES);
}

export async function uploadParts(store: SharedListStore, file: string, sum: string, now: number): Promise<void> {
  let number = 0;
  for await (const part of createReadStream(file, { highWaterMark: PART_BYTES })) {
    await store.addPart(sum, number, part as Buffer, now);
    number += 1;
  }
}

export async function* downloadParts(store: SharedListStore, info: DatasetInfo): AsyncGenerator<Uint8Array> {
  for (let number = 0; number < countParts(info); number += 1) {
    const part = await store.findPart(info.indexSum!.sha256, number);
    if (!part) throw new PartsBroken('a part of a shared list is missing');
    yield part;
  }
}
