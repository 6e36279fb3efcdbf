// HTTP of the device channel: the only interface that the launch page has.

import type { Readable } from 'node:stream';
import {
  CancelRequest,
  ClaimReply,
  ClaimRequest,
  DeviceView,
  ErrorReply,
  HandoffDeclineRequest,
  HandoffLook,
  HandoffLookRequest,
  HandoffReply,
  HandoffRequest,
  ReportRequest,
  ReturnCodeRequest,
  ref,
} from '@limen/contract';
import { ENVELOPE_BYTES } from '@limen/plan';
import { Type } from 'typebox';
import { AppError } from '../../platform/base/errors.ts';
import { onlyAs } from '../../platform/http/body/media-types.ts';
import { knownClientAddress } from '../../platform/http/limits/client-address.ts';
import { inOwnScope } from '../../platform/http/own-scope.ts';
import type { HttpServer } from '../../platform/http/types.ts';
import { HANDOFF_CODE_TTL_MS, MAX_DEVICE_ANSWER_BYTES, minutesInWords } from '../limits.ts';
import type { DeviceChannel } from './channel.ts';
import { type Follow, streamViews } from './follow.ts';
import {
  BINARY_TYPE,
  badBody,
  COMMON_REFUSALS,
  DEVICE_PATH,
  deviceSchema,
  NO_BODY,
  readSignature,
  requireSignature,
  signBinaryRoutes,
  signJsonRoutes,
} from './signed-routes.ts';

interface DeviceRoutes {
  /** Whether the service believes what proxies say of their clients. */
  trustsProxy: boolean;
  channel: DeviceChannel;
  follow: Follow;
}

export function registerDeviceRoutes(app: HttpServer, routes: DeviceRoutes): void {
  app.addHook('preClose', (done) => {
    routes.follow.close(); // a stream that is not ended would keep the server from closing
    done();
  });
  registerReads(app, routes);
  inOwnScope(app, (scope) => registerChanges(scope, routes));
  inOwnScope(app, (scope) => registerHandoff(scope, routes));
  inOwnScope(app, (scope) => registerAnswer(scope, routes));
}

const common = deviceSchema('Device channel');
const endedByRefusal = 'The session has ended without a decision; `code` is -15, -22 or -23.';

function registerReads(app: HttpServer, { channel, follow }: DeviceRoutes): void {
  app.get(
    DEVICE_PATH,
    {
      schema: {
        ...common,
        summary: 'See a session',
        description: 'Without a signature the role is `none` and the progress is left out. Claims nothing.',
        response: {
          200: ref(DeviceView, 'The session as this device may see it.'),
          401: COMMON_REFUSALS[401],
          404: COMMON_REFUSALS[404],
          409: COMMON_REFUSALS[409],
        },
      },
    },
    async (request) => channel.view(request.params.sessionId, await readSignature(request, '', NO_BODY)),
  );

  app.get(
    `${DEVICE_PATH}/updates`,
    {
      exposeHeadRoute: false,
      schema: {
        ...common,
        summary: 'Follow a session',
        description:
          'Server-sent events named `view`, each a DeviceView: one at once, then one per change, until the session has ended. One stream per device; a newer one ends the older.',
        response: {
          200: onlyAs('text/event-stream', Type.Unsafe<Readable>({ type: 'string' }), 'The stream.'),
          ...COMMON_REFUSALS,
        },
      },
    },
    async (request, reply) => {
      const { sessionId } = request.params;
      const signer = await requireSignature(request, 'updates', NO_BODY);
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
  const { signed, signerOf } = signJsonRoutes(app);

  app.post(
    `${DEVICE_PATH}/claim`,
    {
      ...signed('claim'),
      schema: {
        ...common,
        summary: 'Claim a session for this device',
        description:
          'Signed with the key it names. The first claim opens the session; the same key gets the same plan again. Another key needs the code and number of a handoff, and gets a plan with the same steps and a new nonce and key. A wrong number ends the handoff and counts in the risk.',
        body: ClaimRequest,
        response: {
          200: ref(ClaimReply, 'The device holds the session.'),
          ...badBody,
          ...COMMON_REFUSALS,
          403: ref(
            ErrorReply,
            '`device_mismatch`: this key needs a code. `handoff_code_refused`, `handoff_number_refused`: a new code is needed. `third_device`.',
          ),
        },
      },
    },
    async (request) => {
      const signer = signerOf(request);
      if (request.body.publicKey !== signer.key) {
        throw new AppError('invalid_signature', 'The claim is not signed with the key it names.');
      }
      return channel.claim(request.params.sessionId, request.body, signer);
    },
  );

  app.post(
    `${DEVICE_PATH}/log`,
    {
      ...signed('log'),
      schema: {
        ...common,
        summary: 'Report steps as they happen',
        description:
          'Entries may be sent again unchanged. Different ones in their place are a `log_conflict`, as when two tabs on one device both report: claim again, which returns the stored log.',
        body: ReportRequest,
        response: {
          200: ref(DeviceView, 'Stored.'),
          ...badBody,
          ...COMMON_REFUSALS,
          409: ref(ErrorReply, '`log_conflict`: other entries were reported in that place. Or as for the other calls.'),
          422: ref(ErrorReply, `The entries do not fit the plan. ${endedByRefusal}`),
        },
      },
    },
    async (request) => channel.report(request.params.sessionId, request.body, signerOf(request)),
  );

  app.post(
    `${DEVICE_PATH}/cancel`,
    {
      ...signed('cancel'),
      schema: {
        ...common,
        summary: 'Give up',
        body: CancelRequest,
        response: { 200: ref(DeviceView, 'The session has ended without a decision.'), ...badBody, ...COMMON_REFUSALS },
      },
    },
    async (request) => channel.cancel(request.params.sessionId, request.body, signerOf(request)),
  );
}

function registerHandoff(app: HttpServer, { channel }: DeviceRoutes): void {
  const { signed, signerOf } = signJsonRoutes(app);

  app.post(
    `${DEVICE_PATH}/handoff`,
    {
      ...signed('handoff'),
      schema: {
        ...common,
        summary: 'Get a code that lets another device take over',
        description: `The code works once, for ${minutesInWords(HANDOFF_CODE_TTL_MS)}; a new one replaces it. What finished steps found may be carried over, sealed under a key that the service does not get.`,
        body: HandoffRequest,
        response: {
          200: ref(HandoffReply, 'An address for a QR code, and a number to show beside it.'),
          ...badBody,
          ...COMMON_REFUSALS,
          403: ref(
            ErrorReply,
            '`forbidden`: the host refuses handoffs, or the session has used up its codes. Or as for the other calls.',
          ),
        },
      },
    },
    async (request) => channel.handoff(request.params.sessionId, request.body, signerOf(request)),
  );

  app.post(
    `${DEVICE_PATH}/handoff/look`,
    {
      ...signed('handoff/look'),
      schema: {
        ...common,
        summary: 'See who started the session, before taking over',
        description: 'Signed with the key that would claim. Changes nothing, and may be repeated.',
        body: HandoffLookRequest,
        response: {
          200: ref(HandoffLook, 'What to show the person.'),
          ...badBody,
          ...COMMON_REFUSALS,
          403: ref(ErrorReply, '`handoff_code_refused`: used, replaced or too old. `third_device`. `device_mismatch`.'),
        },
      },
    },
    async (request) => channel.look(request.params.sessionId, request.body, signerOf(request)),
  );

  app.post(
    `${DEVICE_PATH}/handoff/decline`,
    {
      ...signed('handoff/decline'),
      schema: {
        ...common,
        summary: 'Decline a handoff: none of the numbers is shown, or this person did not start it',
        description:
          'Signed with the key that would claim. The code becomes void, the device that made it is told, and the risk gets `HANDOFF_NUMBER_WRONG`. Repeated after a lost reply, it gets `handoff_code_refused`.',
        body: HandoffDeclineRequest,
        response: {
          200: ref(DeviceView, 'As for a device that has no part in the session.'),
          ...badBody,
          ...COMMON_REFUSALS,
          403: ref(ErrorReply, '`handoff_code_refused`: used, replaced or too old. `third_device`. `device_mismatch`.'),
        },
      },
    },
    async (request) => channel.decline(request.params.sessionId, request.body, signerOf(request)),
  );

  app.post(
    `${DEVICE_PATH}/handoff/return`,
    {
      ...signed('handoff/return'),
      schema: {
        ...common,
        summary: 'Send the code shown on the other device',
        description:
          'Verification sessions, after a success, by the device that started the session, if its view has `end.returnCodeTriesLeft`. The same wrong code is not counted twice.',
        body: ReturnCodeRequest,
        response: {
          200: ref(DeviceView, 'With `end.redirectUrl`.'),
          ...badBody,
          ...COMMON_REFUSALS,
          403: ref(
            ErrorReply,
            '`return_code_refused`: the message says how many tries are left. `forbidden`: no code is expected.',
          ),
        },
      },
    },
    async (request) => channel.giveBack(request.params.sessionId, request.body, signerOf(request)),
  );
}

function registerAnswer(app: HttpServer, { channel, trustsProxy }: DeviceRoutes): void {
  signBinaryRoutes(app, 'the sealed answer');
  app.post(
    `${DEVICE_PATH}/answer`,
    {
      bodyLimit: MAX_DEVICE_ANSWER_BYTES,
      // Bytes and nothing to validate; the handler checks their number, for the reference's sake they have a schema.
      validatorCompiler: () => () => true,
      schema: {
        ...common,
        summary: 'Send the sealed answer',
        description: `Exactly ${ENVELOPE_BYTES} bytes as ${BINARY_TYPE}. The same envelope again gets the same acknowledgement.`,
        consumes: [BINARY_TYPE],
        body: Type.Unsafe<Buffer>({ type: 'string', format: 'binary' }),
        response: {
          200: ref(DeviceView, 'The session has ended with this answer.'),
          400: ref(ErrorReply, `The body does not have ${ENVELOPE_BYTES} bytes.`),
          ...COMMON_REFUSALS,
          409: ref(
            ErrorReply,
            '`payload_replayed`, code -15: another answer came first. `log_conflict`: its log contradicts what was reported, and nothing has ended. Or as for the other calls.',
          ),
          413: ref(ErrorReply, 'The body is far too large.'),
          415: ref(ErrorReply, `The body is not sent as ${BINARY_TYPE}.`),
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
      const signer = await requireSignature(request, 'answer', envelope);
      return channel.answer(request.params.sessionId, envelope, signer, knownClientAddress(request, trustsProxy));
    },
  );
}
