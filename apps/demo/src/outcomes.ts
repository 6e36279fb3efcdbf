// The ends that can be simulated, and why some of them cannot for what a check asks for.
import type { CreateAgeSessionRequest, SimulateAgeSessionRequest } from '@limen/sdk';

export type Outcome = SimulateAgeSessionRequest['outcome'];
export type Asked = Pick<CreateAgeSessionRequest, 'requirements' | 'stepUpEnabled'>;

export const OUTCOMES: readonly (readonly [Outcome, string])[] = [
  ['above', 'Old enough'],
  ['at', 'Just that age'],
  ['below', 'Too young'],
  ['spoof', 'A photo of a face'],
  ['face_mismatch', 'Another’s document'],
  ['document_failure', 'Unreadable document'],
  ['camera_failure', 'No camera'],
  ['desktop', 'Computer refused'],
  ['cancelled', 'Gives up'],
  ['expired', 'Too late'],
];

/** What the check would need for it and does not have, as the end of a sentence; undefined where it can happen. */
export function lackingFor(
  outcome: Outcome,
  { requirements = ['face'], stepUpEnabled = false }: Asked,
): string | undefined {
  const hasFace = requirements.includes('face');
  const hasDocument = stepUpEnabled || requirements.includes('identity_document');
  switch (outcome) {
    case 'spoof':
      return hasFace ? undefined : 'a face';
    case 'document_failure':
      return hasDocument ? undefined : 'a document';
    case 'face_mismatch':
      return hasFace && hasDocument ? undefined : 'a face and a document';
    default:
      return undefined;
  }
}
