// What a device says of its camera: opened, held against the contract, and good for the audit alone.

import { CaptureFacts } from '@limen/contract';
import { CAPTURE_PLAINTEXT_BYTES } from '@limen/plan';
import { AppError } from '../../../platform/base/errors.ts';
import { compileCheck } from '../../../platform/json/compile-check.ts';
import type { TakenCall } from '../../device/take-call.ts';

const LABEL = 'limen-capture-v1';
const LENGTH_BYTES = 2;
const isCaptureFacts = compileCheck(CaptureFacts);

/** Named as the lines of the audit have it. */
export type CameraFacts = Partial<Record<'light' | 'cameraWidth' | 'cameraHeight' | 'cameraRate', number>> & {
  orientation?: string;
};

export async function readCapture({ open }: Pick<TakenCall, 'open'>, envelope: Uint8Array): Promise<CameraFacts> {
  const plaintext = await open(envelope, LABEL);
  const given = plaintext?.length === CAPTURE_PLAINTEXT_BYTES ? parse(plaintext) : undefined;
  if (!isCaptureFacts(given)) {
    throw new AppError(
      'malformed_request',
      'What follows the face must be CaptureFacts, sealed for this session and its plan.',
    );
  }
  const { light, width, height, rate, orientation } = given;
  return {
    ...(light !== undefined && { light }),
    ...(width !== undefined && { cameraWidth: width }),
    ...(height !== undefined && { cameraHeight: height }),
    ...(rate !== undefined && { cameraRate: rate }),
    ...(orientation !== undefined && { orientation }),
  };
}

function parse(plaintext: Buffer): unknown {
  const length = plaintext.readUInt16BE();
  try {
    return JSON.parse(plaintext.toString('utf8', LENGTH_BYTES, LENGTH_BYTES + length));
  } catch {
    return undefined;
  }
}
