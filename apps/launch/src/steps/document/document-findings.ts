// Reduces a document to the findings that the plan asks for, without identifying data.
import { compareAge, type DocumentPlanStep } from '@limen/plan';
import type { DeviceFindings } from '@limen/sdk/device';
import { compareEmbeddings } from '../../face/read/embed.ts';
import type { DocumentOutcome } from './document-step.ts';

type DocumentFindings = NonNullable<DeviceFindings['document']>;

/** Findings, and the portrait until it is compared. */
export interface KnownDocument {
  findings: DocumentFindings;
  portrait: Float32Array | null;
}

/** Creates the findings without a comparison. `nowMs`: the server's time. */
export function toDocumentFindings(
  { report, ageThreshold }: DocumentPlanStep,
  { found, fromFile }: DocumentOutcome,
  nowMs: number,
): DocumentFindings {
  const { type, country, age } = found;
  const rest = {
    matchScore: null,
    type,
    country,
    verifiedAt: `${new Date(nowMs).toISOString().slice(0, 19)}Z`,
    signs: [...found.signs, ...(fromFile ? (['file'] as const) : [])],
  };
  if (report === 'none') return rest;
  if (report === 'age') return { age, ...rest };
  return { thresholdResult: compareAge(age, ageThreshold), ...rest };
}

/** Adds the similarity of the portrait and the live face. `live`: null if the plan has no face. */
export function comparePortrait({ findings, portrait }: KnownDocument, live: Float32Array | null): DocumentFindings {
  return live && portrait ? { ...findings, matchScore: round(compareEmbeddings(live, portrait)) } : findings;
}

/** Four decimals exceed the precision. Float sums may slightly exceed one. */
function round(score: number): number {
  return Math.min(Math.max(Math.round(score * 10_000) / 10_000, -1), 1);
}
