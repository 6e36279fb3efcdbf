// Reads the body of a token call: the device's key, the encrypted face and, sealed, facts about the camera.
import { CaptureFacts } from '@limen/contract';
import {
  CAPTURE_PLAINTEXT_BYTES,
  PERSON_DEVICE_KEY_BYTES,
  TOKEN_CALL_BYTES,
  TOKEN_CALL_VERSION,
  TOKEN_CALL_WITH_CAPTURE_BYTES,
  TOKEN_CALL_WITH_CAPTURE_VERSION,
} from '@limen/plan';
import { AppError } from '../../../platform/base/errors.ts';
import { compileCheck } from '../../../platform/json/compile-check.ts';
import type { AcceptedCall } from '../../device/take-call.ts';
import { isDevicePoint } from '../../proofs/devices.ts';

const BYTES_OF_VERSION: ReadonlyMap<number, number> = new Map([
  [TOKEN_CALL_VERSION, TOKEN_CALL_BYTES],
  [TOKEN_CALL_WITH_CAPTURE_VERSION, TOKEN_CALL_WITH_CAPTURE_BYTES],
]);

export type TokenPieces = ReturnType<typeof readPieces>;

export function readPieces(body: Buffer) {
  const version = body[0];
  const bytes = version === undefined ? undefined : BYTES_OF_VERSION.get(version);
  if (bytes === undefined) {
    throw new AppError(
      'malformed_request',
      `The first byte must be the version, ${[...BYTES_OF_VERSION.keys()].join(' or ')}.`,
    );
  }
  if (body.length !== bytes) {
    throw new AppError('malformed_request', `The body must have ${bytes} bytes; this one has ${body.length}.`);
  }
  const probeAt = 1 + PERSON_DEVICE_KEY_BYTES;
  const key = body.subarray(1, probeAt);
  const hasKey = key.some((byte) => byte !== 0);
  if (hasKey && !isDevicePoint(key)) {
    throw new AppError('malformed_request', 'The key after the version must be a P-256 point, or zeros.');
  }
  return {
    deviceKey: hasKey ? key : undefined,
    probe: body.subarray(probeAt, TOKEN_CALL_BYTES),
    capture: version === TOKEN_CALL_WITH_CAPTURE_VERSION ? body.subarray(TOKEN_CALL_BYTES) : undefined,
  };
}

const LABEL = 'limen-capture-v1';
const LENGTH_BYTES = 2;
const isCaptureFacts = compileCheck(CaptureFacts);

export function readCapture({ open }: Pick<AcceptedCall, 'open'>, envelope: Uint8Array) {
  const plaintext = open(envelope, LABEL);
  const facts = plaintext?.length === CAPTURE_PLAINTEXT_BYTES ? parse(plaintext) : undefined;
  if (!isCaptureFacts(facts)) {
    throw new AppError(
      'malformed_request',
      'The bytes after the face must be CaptureFacts, sealed for this session and its plan.',
    );
  }
  const { light, width, height, rate, orientation } = facts;
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
