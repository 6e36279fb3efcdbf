// Packs one device's findings for the next device, and unpacks them there. Never includes a
// picture, and the face embedding only if a later step compares it.
import type { PlanStep } from '@limen/plan';
import type { CarriedSteps, DevicePlan, HandoffFindings } from '@limen/sdk/device';
import type { StepName } from '../../course/screens.ts';
import { comparePortrait } from '../../steps/document/document-findings.ts';
import { type CheckFindings, mergeCameraSigns, mergeIndicators } from './keep-findings.ts';

/** Returns undefined after the answer was made, because the face is overwritten by then. */
export function packFindings({ steps }: Pick<DevicePlan, 'steps'>, found: CheckFindings): HandoffFindings | undefined {
  const { face, document, contact, indicators, camera = [] } = found;
  if (found.answer || face?.face.spoof) return undefined;
  const live = face?.embedding ?? null;
  // A document captured before the face is compared on the device that captures the face.
  const embedding = face ? isComparedLater(steps, found) && live : document?.portrait;
  return {
    ...(face && { face: face.face }),
    ...(document && { document: comparePortrait(document, live) }),
    ...(contact && { contact }),
    ...(indicators && { indicators }),
    ...(camera.length > 0 && { camera: [...camera] }),
    ...(embedding && { embedding }),
  };
}

/** Returns false if the findings are unusable. All steps are then repeated on this device. */
export function unpackFindings(
  { steps }: Pick<DevicePlan, 'steps'>,
  { steps: done, findings }: CarriedSteps,
  found: CheckFindings,
): boolean {
  const names = new Set(done.map((position) => steps[position]?.step));
  const { face, document, contact, embedding = null, indicators, camera } = findings;
  const [hasFace, hasDocument] = [names.has('face'), names.has('identity_document')];
  // An earlier attempt has overwritten it.
  if (embedding?.every((value) => value === 0)) return false;
  if ((hasFace && face?.spoof !== false) || (hasDocument && !document)) return false;
  if (hasFace && face) found.face = { face, embedding };
  if (hasDocument && document) found.document = { findings: document, portrait: hasFace ? null : embedding };
  if (names.has('contact')) found.contact = contact ?? {};
  if (names.has('passkey')) found.passkey = true;
  if (indicators) found.indicators = mergeIndicators(found.indicators, indicators);
  found.camera = mergeCameraSigns(found.camera, camera);
  found.done = [...done];
  return true;
}

const COMPARING: ReadonlySet<StepName> = new Set(['identity_document', 'token']);

function isComparedLater(steps: readonly PlanStep[], { done }: CheckFindings): boolean {
  return steps.some(({ step }, position) => COMPARING.has(step) && !done.includes(position));
}
