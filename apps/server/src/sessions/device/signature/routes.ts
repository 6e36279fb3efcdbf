// What the routes of devices share: where they are, how their calls are signed, and what they are refused with.
import { ErrorReply, ref } from '@limen/contract';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { AppError } from '../../../platform/base/errors.ts';
import type { SessionId } from '../../../platform/base/ids.ts';
import { collectBody } from '../../../platform/http/body/collect-body.ts';
import { parseJson } from '../../../platform/http/body/json.ts';
import { pathName } from '../../../platform/http/path-name.ts';
import type { HttpServer } from '../../../platform/http/types.ts';
import { MAX_DEVICE_JSON_BYTES } from '../../limits.ts';
import type { DeviceChannel } from '../channel.ts';
import { requireSignature, SIGNATURE_HEADERS } from './read.ts';
import type { Signer } from './signature.ts';

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
