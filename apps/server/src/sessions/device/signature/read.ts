// Who signed a device's call: reads the three headers and checks them against the bytes that came.
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { AppError } from '../../../platform/base/errors.ts';
import { COUNTER_HEADER } from '../refusals.ts';
import { readCounter, type Signer, verifyCall } from './signature.ts';

const KEY_HEADER = 'limen-device-key';
const SIGNATURE_HEADER = 'limen-device-signature';

/** What each must look like; whether the three belong together is for the verification to say. */
const FORMS = new Map([
  [
    KEY_HEADER,
    {
      fits: (value: string) => /^B[A-Za-z0-9_-]{86}$/.test(value),
      text: 'the uncompressed point of a P-256 key, 87 characters of base64url',
    },
  ],
  [
    COUNTER_HEADER,
    {
      fits: (value: string) => readCounter(value) !== undefined,
      text: 'a whole number from 1 to 2^53 − 1, without leading zeros',
    },
  ],
  [
    SIGNATURE_HEADER,
    {
      fits: (value: string) => /^[A-Za-z0-9_-]{86}$/.test(value),
      text: 'r and s of 32 bytes each, 86 characters of base64url, not DER',
    },
  ],
]);

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
export async function readSignature(
  request: FastifyRequest,
  operation: string,
  body: Uint8Array,
): Promise<Signer | undefined> {
  if ([...FORMS.keys()].every((name) => request.headers[name] === undefined)) return undefined;
  const [key = '', counter = '', signature = ''] = [...FORMS.keys()].map((name) => readHeader(request, name));
  const { sessionId } = request.params as { sessionId: string };
  const { method } = request;
  const signer = await verifyCall({ method, sessionId, operation, body, key, counter, signature });
  if (!signer) {
    throw new AppError(
      'invalid_signature',
      'The signature is wrong; it must cover method, path, body and counter, as docs/device-protocol.md describes.',
    );
  }
  return signer;
}

/** Refuses a header that is missing or malformed by its name: "does not fit" would send its sender to look elsewhere. */
function readHeader({ headers }: FastifyRequest, name: string): string {
  const value = headers[name];
  const wanted = FORMS.get(name);
  if (value === undefined) throw new AppError('invalid_signature', `The header ${name} is missing.`);
  if (typeof value === 'string' && wanted?.fits(value)) return value;
  throw new AppError('invalid_signature', `The header ${name} must be ${wanted?.text}.`);
}

export async function requireSignature(request: FastifyRequest, operation: string, body: Uint8Array): Promise<Signer> {
  const signer = await readSignature(request, operation, body);
  if (signer) return signer;
  throw new AppError(
    'invalid_signature',
    `Sign the call with the device’s key: send ${KEY_HEADER}, ${COUNTER_HEADER} and ${SIGNATURE_HEADER}.`,
  );
}
