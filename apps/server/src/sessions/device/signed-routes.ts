// Shared parts of the device routes: paths, signatures and refusals.
import { ErrorReply, ref } from '@limen/contract';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { AppError } from '../../platform/base/errors.ts';
import type { SessionId } from '../../platform/base/ids.ts';
import { collectBody } from '../../platform/http/body/collect-body.ts';
import { parseJson } from '../../platform/http/body/json.ts';
import { pathName } from '../../platform/http/path-name.ts';
import type { HttpServer } from '../../platform/http/types.ts';
import { MAX_DEVICE_JSON_BYTES } from '../limits.ts';
import type { DeviceChannel } from './channel.ts';
import { COUNTER_HEADER } from './refusals.ts';
import { readCounter, type Signer, verifyCall } from './signature.ts';

export const DEVICE_PATH = '/device/sessions/:sessionId';
export const BINARY_TYPE = 'application/octet-stream';
export const NO_BODY = Buffer.alloc(0);

const SessionPath = Type.Object({ sessionId: pathName<SessionId>('The `sessionId` from the launch URL.') });

export function deviceSchema(tag: string) {
  return { tags: [tag], params: SessionPath, headers: SIGNATURE_HEADERS };
}

export const COMMON_REFUSALS = {
  401: ref(ErrorReply, 'The call is not signed, or the signature is wrong.'),
  403: ref(ErrorReply, '`device_mismatch`, code -16: another device holds the session, or none has claimed it yet.'),
  404: ref(ErrorReply, 'There is no such session, or it was deleted.'),
  409: ref(
    ErrorReply,
    '`session_ended` (code -8 if it expired), or `stale_counter` with the last counter in `limen-device-counter`.',
  ),
  503: ref(ErrorReply, 'The service is busy; `Retry-After` says when to try again.'),
};
export const badBody = {
  400: ref(ErrorReply, 'The body is not JSON, or a field is missing or has a wrong type or value.'),
  413: ref(ErrorReply, 'The body is too large.'),
  415: ref(ErrorReply, 'The body is not sent as application/json.'),
};

/** For routes that take large bodies: a made-up session is refused before its body is read. */
export function requireSessionFirst(app: HttpServer, channel: Pick<DeviceChannel, 'requireSession'>): void {
  app.addHook('onRequest', async ({ params }) =>
    channel.requireSession((params as { sessionId: SessionId }).sessionId),
  );
}

/** Makes every route of this scope take signed JSON. The scope is their own: a signature covers the bytes as they came. */
export function signJsonRoutes(app: HttpServer, { bodyLimit = MAX_DEVICE_JSON_BYTES } = {}) {
  const signers = new WeakMap<FastifyRequest, Signer>();
  const bodies = new WeakMap<FastifyRequest, Buffer>();
  app.removeAllContentTypeParsers();
  const parse = collectBody((request, body, done) => {
    bodies.set(request, body);
    done(null, parseJson(body));
  });
  app.addContentTypeParser('application/json', parse);
  return {
    signed: (operation: string) => ({
      bodyLimit,
      // Before the fields are looked at: a stranger learns nothing about them.
      preValidation: async (request: FastifyRequest) => {
        signers.set(request, await requireSignature(request, operation, bodies.get(request) ?? NO_BODY));
      },
    }),
    signerOf(request: FastifyRequest): Signer {
      const signer = signers.get(request);
      if (!signer) throw new Error('the route has no signature check');
      return signer;
    },
  };
}

/** Makes every route of this scope take bytes, whose signature the route itself looks at. */
export function signBinaryRoutes(app: HttpServer, what: string): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    BINARY_TYPE,
    collectBody((_request, body, done) => done(null, body)),
  );
  app.addContentTypeParser('*', async () => {
    throw new AppError('unsupported_media_type', `Send ${what} as ${BINARY_TYPE}.`);
  });
}

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
const SIGNATURE_HEADERS = Type.Object({
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
