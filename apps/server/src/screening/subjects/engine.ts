// The version of the screening engine: the service's version, and a revision for every change of the engine's sources.
import { VERSION } from '../../platform/base/version.ts';
import { ENGINE_REVISION } from './engine-revision.ts';

export const ENGINE = { version: `${VERSION}+${ENGINE_REVISION}`, number: combineRevisions(VERSION, ENGINE_REVISION) };

/** `version` is named in evidence. `number` grows, so that subjects of an earlier engine can be found. */
export type ScreeningEngine = typeof ENGINE;

export function formatEngineVersion(number: number): string {
  const part = (place: number) => Math.floor(number / 1_000 ** place) % 1_000;
  return `${part(3)}.${part(2)}.${part(1)}+${part(0)}`;
}

export function combineRevisions(version: string, revision: number): number {
  const parts = version.split(/[.-]/).slice(0, 3).map(Number);
  return [...parts, revision].reduce((number, part) => number * 1_000 + part, 0);
}
