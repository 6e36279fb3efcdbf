// What of a document goes into the answer: what the plan asks for, and nothing that tells whose it is.
import { compareAge, type DocumentPlanStep } from '@limen/plan';
import type { DeviceFindings } from '@limen/sdk/device';
import { compareEmbeddings } from '../../face/read/embed.ts';
import type { DocumentOutcome } from './document-step.ts';

type DocumentFindings = NonNullable<DeviceFindings['document']>;

/** What was read, and the portrait until it was compared. */
export interface KnownDocument {
  findings: DocumentFindings;
  portrait: Float32Array | null;
}

/** `nowMs` is the server's time. Nothing was compared yet. */
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

/** With how alike the portrait and the face before the camera are; `live` is null where the plan has none. */
export function comparePortrait({ findings, portrait }: KnownDocument, live: Float32Array | null): DocumentFindings {
  return live && portrait ? { ...findings, matchScore: round(compareEmbeddings(live, portrait)) } : findings;
}

/** Four places are more than any of it is true; sums of floats may come out a little beyond one. */
function round(score: number): number {
  return Math.min(Math.max(Math.round(score * 10_000) / 10_000, -1), 1);
}
