// Explains flags to reviewers: their meaning, weight, and harmless causes.
import { Indicators } from '@limen/contract';
import { CAMERA_SIGNS, type CameraSign } from '@limen/plan';
import type { FlagExplanation } from '../../review/case.ts';
import {
  BEHAVIOR_FLAGS,
  BROWSER_FLAGS,
  type BrowserFlag,
  CAMERA_FLAGS,
  DOCUMENT_FLAGS,
  FINDING_FLAGS,
  type RiskFlag,
} from './table.ts';

const EXPLANATIONS: ReadonlyMap<string, FlagExplanation> = new Map(
  [
    ...Object.entries(BROWSER_FLAGS).flatMap(([group, flags]) => {
      const { properties } = Indicators.properties[group as keyof Indicators];
      return Object.entries<BrowserFlag>(flags).map(([name, flag]) =>
        explain('browser', flag, readDescription((properties as Record<string, object>)[name]), flag.innocent),
      );
    }),
    ...Object.entries(CAMERA_FLAGS).map(([sign, flag]) =>
      explain('browser', flag, CAMERA_SIGNS[sign as CameraSign], flag.innocent),
    ),
    ...[...Object.values(DOCUMENT_FLAGS), ...Object.values(FINDING_FLAGS)].map((flag) =>
      explain(flag === FINDING_FLAGS.browserDataMissing ? 'browser' : 'behavioral', flag, flag.meaning, flag.innocent),
    ),
    ...BEHAVIOR_FLAGS.map((flag) => explain('behavioral', flag, flag.meaning, '')),
  ].map((explanation) => [explanation.code, explanation]),
);

export const FLAG_CODES: readonly string[] = [...EXPLANATIONS.keys()].sort();

/** Explains the heaviest first. Newer versions may have raised unknown flags. */
export function explainFlags(flags: readonly string[]): FlagExplanation[] {
  const explained = [...new Set(flags)].map(
    (code): FlagExplanation =>
      EXPLANATIONS.get(code) ?? { code, signal: 'behavioral', weight: null, atBest: null, meaning: '', innocent: '' },
  );
  return explained.sort((a, b) => rank(b) - rank(a) || (a.code < b.code ? -1 : 1));
}

function rank({ weight, atBest }: FlagExplanation): number {
  const limit = { BLOCK: 200, REVIEW: 100 };
  return (weight ?? 0) + (atBest === null ? 0 : limit[atBest]);
}

function explain(
  signal: FlagExplanation['signal'],
  { code, weight, atBest }: RiskFlag,
  meaning: string,
  innocent: string,
): FlagExplanation {
  return { code, signal, weight, atBest: atBest ?? null, meaning: stripMarkdown(meaning), innocent };
}

function stripMarkdown(text: string): string {
  return text
    .replace(/\s*\(\[[^\]]*\]\([^)]*\)\)/g, '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('`', '');
}

function readDescription(schema: object = {}): string {
  return 'description' in schema && typeof schema.description === 'string' ? schema.description : '';
}
