// How much room a disk has, and when that is too little.
import { statfsSync } from 'node:fs';

/** Told as a warning: time to make room. */
export const LOW_BYTES = 2 ** 30;
/** Told as a failure: the next busy hour may fill it. */
export const LEAST_BYTES = 100 * 2 ** 20;

export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

export function formatBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = Math.min(bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10), units.length - 1);
  return `${(bytes / 1024 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`;
}
