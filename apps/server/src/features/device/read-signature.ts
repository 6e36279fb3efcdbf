// Who signed a device's call: reads the three headers and checks them against the bytes that came.
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { type Signer, verifyCall } from '../../core/device-channel/device-signature.ts';
import { COUNTER_HEADER } from '../../core/device-channel/refusals.ts';
import { AppError } from '../../platform/errors.ts';

const KEY_HEADER = 'limen-device-key';
const SIGNATURE_HEADER = 'limen-device-signature';

/** Optional to the validation, because a call without them is told 401 and not 400. */
export const SIGNATURE_HEADERS = Type.Object({
  [KEY_HEADER]: Type.Optional(
    Type.String({ description: 'The device’s P-256 key, an uncompressed point, base64url.' }),
  ),
  [COUNTER_HEADER]: Type.Optional(
    Type.String({
      description: 'A whole number above that of the device’s last change; milliseconds since 1970 will do.',
    }),
  ),
  [SIGNATURE_HEADER]: Type.Optional(
    Type.String({ description: 'ECDSA with SHA-256 over method, path, body hash and counter; r and s, base64url.' }),
  ),
});

/** Undefined when none of the headers is there. */
export function readSignature(request: FastifyRequest, operation: string, body: Uint8Array): Signer | undefined {
  const [key, counter, signature] = [KEY_HEADER, COUNTER_HEADER, SIGNATURE_HEADER].map((name) => request.headers[name]);
  if (key === undefined && counter === undefined && signature === undefined) return undefined;
  const { sessionId } = request.params as { sessionId: string };
  const { method } = request;
  const given = { key: String(key), counter: String(counter), signature: String(signature) };
  const signer = verifyCall({ method, sessionId, operation, body, ...given });
  if (!signer) {
    throw new AppError(
      'invalid_signature',
      'The signature does not fit; it covers method, path, body and counter, as docs/device-protocol.md says.',
    );
  }
  return signer;
}

export function requireSignature(request: FastifyRequest, operation: string, body: Uint8Array): Signer {
  const signer = readSignature(request, operation, body);
  if (signer) return signer;
  throw new AppError(
    'invalid_signature',
    `Sign the call with the device’s key: send ${KEY_HEADER}, ${COUNTER_HEADER} and ${SIGNATURE_HEADER}.`,
  );
}
