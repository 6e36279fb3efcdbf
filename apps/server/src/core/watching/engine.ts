// Which engine screens: the engine is released with the service, and reads lists of one layout.
import { INDEX_LAYOUT } from '@limen/screening';
import { VERSION } from '../../platform/version.ts';

export interface Engine {
  /** As evidence names it. */
  version: string;
  /** Grows from one version to the next, so that those whom an earlier one screened can be found. */
  number: number;
}

export const ENGINE: Engine = { version: `${VERSION}+${INDEX_LAYOUT}`, number: numberOf(VERSION, INDEX_LAYOUT) };

export function numberOf(version: string, layout: number): number {
  const parts = version.split(/[.-]/).slice(0, 3).map(Number);
  return [...parts, layout].reduce((number, part) => number * 1_000 + part, 0);
}
