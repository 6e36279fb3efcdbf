// HTTP of the device channel (area C): the only interface that the launch page has.
import type { Readable } from 'node:stream';
import {
  CancelRequest,
  ClaimReply,
  ClaimRequest,
  DeviceView,
  ENVELOPE_BYTES,
  ErrorReply,
  HandoffReply,
  ReportRequest,
  ref,
} from '@limen/contract';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { DeviceChannel } from '../../core/device-channel/channel.ts';
import type { Signer } from '../../core/device-channel/device-signature.ts';
import type { Follow } from '../../core/device-channel/follow.ts';
import { AppError } from '../../platform/errors.ts';
import { parseJson } from '../../platform/http/json-body.ts';
import type { HttpServer } from '../../platform/http/server.ts';
import { readSignature, requireSignature, SIGNATURE_HEADERS } from './read-signature.ts';
import { streamViews } from './stream-views.ts';

const PATH = '/device/sessions/:sessionId';
const NO_BODY = Buffer.alloc(0);
/** A whole step log with room to spare. */
const JSON_BODY_LIMIT = 16 * 1024;
/** More than an answer has, so that one of a wrong size is told so. */
const ANSWER_BODY_LIMIT = 4_096;
const ANSWER_TYPE = 'application/octet-stream';

const SessionPath = Type.Object({ sessionId: Type.String({ description: 'The `sessionId` of the launch URL.' }) });

interface DeviceRoutes {
  channel: DeviceChannel;
  follow: Follow;
}

export function registerDeviceRoutes(app: HttpServer, routes: DeviceRoutes): void {
  app.addHook('preClose', (done) => {
    routes.follow.close(); // a stream that is not ended would keep the server from closing
    done();
  });
  registerReads(app, routes);
  // Scopes of their own: a signature covers the bytes as they came, so these routes keep them.
  void app.register((scope, _options, done) => {
    registerChanges(scope as unknown as HttpServer, routes);
    done();
  });
  void app.register((scope, _options, done) => {
    registerAnswer(scope as unknown as HttpServer, routes);
    done();
  });
}

const common = { tags: ['C. Device channel'], params: SessionPath, headers: SIGNATURE_HEADERS };
const refusals = {
  401: ref(ErrorReply, 'The call is not signed, or the signature does not fit.'),
  403: ref(ErrorReply, '`device_mismatch`, code -16: the key is not that of the device that may do this.'),
  404: ref(ErrorReply, 'There is no such session, or it was deleted.'),
  409: ref(
    ErrorReply,
    '`session_ended` (code -8 when its time is over), or `stale_counter` with the last one in `limen-device-counter`.',
  ),
  503: ref(ErrorReply, 'Too much at once; `Retry-After` says when to try again.'),
};
const badBody = {
  400: ref(ErrorReply, 'The body is not JSON, or a field is missing or of a wrong type or value.'),
  413: ref(ErrorReply, 'The body is too large.'),
  415: ref(ErrorReply, 'The body is not sent as application/json.'),
};
const endedByRefusal = 'The session has ended without a decision; `code` is -15, -22 or -23.';

function registerReads(app: HttpServer, { channel, follow }: DeviceRoutes): void {
  app.get(
    PATH,
    {
      schema: {
        ...common,
        summary: 'See a session',
        description: 'Without a signature the role is `none` and nothing is told of the progress. Claims nothing.',
        response: {
          200: ref(DeviceView, 'The session as this device may see it.'),
          401: refusals[401],
          404: refusals[404],
          409: refusals[409],
        },
      },
    },
    async (request) => channel.view(request.params.sessionId, readSignature(request, '', NO_BODY)),
  );

  app.get(
    `${PATH}/updates`,
    {
      exposeHeadRoute: false,
      schema: {
        ...common,
        summary: 'Follow a session',
        description:
          'Server-sent events named `view`, each a DeviceView: one at once, then one per change, until the session has ended. One stream per device; a newer one ends the older.',
        produces: ['text/event-stream'],
        response: { 200: Type.Unsafe<Readable>({ type: 'string', description: 'The stream.' }), ...refusals },
      },
    },
    async (request, reply) => {
      const { sessionId } = request.params;
      const signer = requireSignature(request, 'updates', NO_BODY);
      await channel.requireDevice(sessionId, signer);
      const read = () => channel.viewFor(sessionId, signer.key);
      const stream = streamViews({ follow, sessionId, deviceKey: signer.key, read });
      // Some proxies hold back what is not finished unless they are asked not to.
      return reply
        .headers({ 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' })
        .send(stream);
    },
  );
}

function registerChanges(app: HttpServer, { channel }: DeviceRoutes): void {
  const signers = new WeakMap<FastifyRequest, Signer>();
  const bodies = new WeakMap<FastifyRequest, Buffer>();
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    bodies.set(request, body);
    return parseJson(body);
  });
  const signed = (operation: string, bodyMayLack = false) => ({
    bodyLimit: JSON_BODY_LIMIT,
    // Before the fields are looked at: a stranger learns nothing about them.
    preValidation: async (request: FastifyRequest) => {
      signers.set(request, requireSignature(request, operation, bodies.get(request) ?? NO_BODY));
      if (bodyMayLack && request.body === undefined) request.body = {};
    },
  });
  const signerOf = (request: FastifyRequest): Signer => {
    const signer = signers.get(request);
    if (!signer) throw new Error('the route has no signature check');
    return signer;
  };

  app.post(
    `${PATH}/claim`,
    {
      ...signed('claim'),
      schema: {
        ...common,
        summary: 'Claim a session for this device',
        description:
          'Signed with the key that it names. The first claim opens the session; the same key gets the same plan again; another one needs the code of a handoff and gets a plan with the same steps and a new nonce and key.',
        body: ClaimRequest,
        response: { 200: ref(ClaimReply, 'The device holds the session.'), ...badBody, ...refusals },
      },
    },
    async (request) => {
      const signer = signerOf(request);
      if (request.body.publicKey !== signer.key) {
        throw new AppError('invalid_signature', 'The claim is signed with another key than it names.');
      }
      return channel.claim(request.params.sessionId, request.body, signer);
    },
  );

  app.post(
    `${PATH}/log`,
    {
      ...signed('log'),
      schema: {
        ...common,
        summary: 'Report steps as they happen',
        description:
          'Entries that arrived before may come again unchanged. Other ones in their place are `log_conflict`, as when two tabs of one device report: claim again, which brings the log that is kept.',
        body: ReportRequest,
        response: {
          200: ref(DeviceView, 'Kept.'),
          ...badBody,
          ...refusals,
          409: ref(ErrorReply, '`log_conflict`: other entries were reported there. Or as with the other calls.'),
          422: ref(ErrorReply, `The entries do not fit the plan. ${endedByRefusal}`),
        },
      },
    },
    async (request) => channel.report(request.params.sessionId, request.body, signerOf(request)),
  );

  app.post(
    `${PATH}/cancel`,
    {
      ...signed('cancel'),
      schema: {
        ...common,
        summary: 'Give up',
        body: CancelRequest,
        response: { 200: ref(DeviceView, 'The session has ended without a decision.'), ...badBody, ...refusals },
      },
    },
    async (request) => channel.cancel(request.params.sessionId, request.body, signerOf(request)),
  );

  app.post(
    `${PATH}/handoff`,
    {
      ...signed('handoff', true),
      schema: {
        ...common,
        summary: 'Get a code with which another device can take over',
        description: 'No body or `{}`. The code works once and for five minutes; a new one replaces it.',
        body: Type.Object({}),
        response: {
          200: ref(HandoffReply, 'For a QR code.'),
          ...badBody,
          ...refusals,
          403: ref(ErrorReply, '`forbidden`: the session has had all its codes. Or as with the other calls.'),
        },
      },
    },
    async (request) => channel.handoff(request.params.sessionId, signerOf(request)),
  );
}

function registerAnswer(app: HttpServer, { channel }: DeviceRoutes): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(ANSWER_TYPE, { parseAs: 'buffer' }, async (_request: FastifyRequest, body: Buffer) => body);
  app.addContentTypeParser('*', async () => {
    throw new AppError('unsupported_media_type', `Send the sealed answer as ${ANSWER_TYPE}.`, {
      headers: { connection: 'close' },
    });
  });
  app.post(
    `${PATH}/answer`,
    {
      bodyLimit: ANSWER_BODY_LIMIT,
      // Bytes and nothing to validate; the handler checks their number, for the reference's sake they have a schema.
      validatorCompiler: () => () => true,
      schema: {
        ...common,
        summary: 'Send the sealed answer',
        description: `Exactly ${ENVELOPE_BYTES} bytes as ${ANSWER_TYPE}. The same envelope again gets the same acknowledgement.`,
        consumes: [ANSWER_TYPE],
        body: Type.Unsafe<Buffer>({ type: 'string', format: 'binary' }),
        response: {
          200: ref(DeviceView, 'The session has ended with this answer.'),
          400: ref(ErrorReply, `The body does not have ${ENVELOPE_BYTES} bytes.`),
          ...refusals,
          409: ref(ErrorReply, '`payload_replayed`, code -15: another answer was first. Or as with the other calls.'),
          413: ref(ErrorReply, 'The body is far too large.'),
          415: ref(ErrorReply, `The body is not sent as ${ANSWER_TYPE}.`),
          422: ref(ErrorReply, `The answer cannot be opened or does not fit the plan. ${endedByRefusal}`),
        },
      },
    },
    async (request) => {
      const envelope = request.body ?? NO_BODY;
      if (envelope.length !== ENVELOPE_BYTES) {
        const message = `A sealed answer has exactly ${ENVELOPE_BYTES} bytes; this body has ${envelope.length}.`;
        throw new AppError('malformed_request', message);
      }
      const signer = requireSignature(request, 'answer', envelope);
      return channel.answer(request.params.sessionId, envelope, signer);
    },
  );
}
