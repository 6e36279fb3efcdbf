// Which engine screens: the engine is released with the service, and has a revision for every change of its sources.
import { VERSION } from '../../platform/base/version.ts';
import { ENGINE_REVISION } from './engine-revision.ts';

export interface ScreeningEngine {
  /** As evidence names it. */
  version: string;
  /** Grows from one version to the next, so that those whom an earlier one screened can be found. */
  number: number;
}

export const ENGINE: ScreeningEngine = {
  version: `${VERSION}+${ENGINE_REVISION}`,
  number: numberOf(VERSION, ENGINE_REVISION),
};

/** What evidence calls the engine of this number. */
export function versionOf(number: number): string {
  const part = (place: number) => Math.floor(number / 1_000 ** place) % 1_000;
  return `${part(3)}.${part(2)}.${part(1)}+${part(0)}`;
}

export function numberOf(version: string, revision: number): number {
  const parts = version.split(/[.-]/).slice(0, 3).map(Number);
  return [...parts, revision].reduce((number, part) => number * 1_000 + part, 0);
}
