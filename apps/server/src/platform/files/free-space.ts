// Measures the free space on a disk.
import { statfsSync } from 'node:fs';

/** Free bytes below which a warning is reported. */
export const LOW_BYTES = 2 ** 30;
/** Free bytes below which a failure is reported: the next busy hour may fill the disk. */
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
