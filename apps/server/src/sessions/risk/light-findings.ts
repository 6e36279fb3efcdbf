// What the risk is told of the light that a face was to show.
import type { LightPolicy } from '@limen/contract';
import type { LightFinding } from '@limen/plan';
import type { Finding } from './table.ts';

const FINDINGS: Readonly<Record<LightFinding, readonly Finding[]>> = {
  lit: [],
  not_lit: ['lightNotAsDrawn'],
  inconclusive: ['lightInconclusive'],
  declined: ['lightInconclusive'],
};

/** `face` is undefined where none was judged. A spoof says nothing of light, and needs none to be refused. */
export function listLightFindings(
  face: { spoof: boolean; light?: LightFinding } | undefined,
  policy: LightPolicy | undefined,
): Finding[] {
  if (!face || face.spoof) return [];
  const isMissing = policy === 'required' && face.light !== 'lit';
  return [...(face.light ? FINDINGS[face.light] : []), ...(isMissing ? (['lightRequired'] as const) : [])];
}
