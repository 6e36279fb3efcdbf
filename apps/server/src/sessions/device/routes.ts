// HTTP of the device channel: the only interface that the launch page has.

import type { Readable } from 'node:stream';
import { CancelRequest, ClaimReply, ClaimRequest, DeviceView, ReportRequest, ref } from '@limen/contract';
import { ENVELOPE_BYTES } from '@limen/plan';
import { Type } from 'typebox';
import { AppError } from '../../platform/base/errors.ts';
import { onlyAs } from '../../platform/http/body/media-types.ts';
import { knownClientAddress } from '../../platform/http/limits/client-address.ts';
import { inOwnScope } from '../../platform/http/own-scope.ts';
import type { HttpServer } from '../../platform/http/types.ts';
import { MAX_DEVICE_ANSWER_BYTES } from '../limits.ts';
import type { DeviceChannel } from './channel.ts';
import { type Follow, streamViews } from './follow.ts';
import type { Handoffs } from './handoff.ts';
import { addHandoffRoutes } from './handoff-routes.ts';
import {
  type AddJsonRoute,
  addBytesRoute,
  BINARY_TYPE,
  DEVICE_PATH,
  deviceSchema,
  jsonRoutes,
  NO_BODY,
  readSignature,
  refusals,
  requireSignature,
} from './signed-routes.ts';
import type { DeviceTurns } from './turns.ts';

interface DeviceRoutes {
  /** Whether the service believes what proxies say of their clients. */
  trustsProxy: boolean;
  channel: DeviceChannel;
  handoffs: Handoffs;
  turns: DeviceTurns;
  follow: Follow;
}

export function registerDeviceRoutes(app: HttpServer, routes: DeviceRoutes): void {
  app.addHook('preClose', (done) => {
    routes.follow.close(); // a stream that is not ended would keep the server from closing
    done();
  });
  registerReads(app, routes);
  inOwnScope(app, (scope) => {
    const post = jsonRoutes(scope, TAG);
    addChanges(post, routes.channel);
    addHandoffRoutes(post, routes.handoffs);
  });
  inOwnScope(app, (scope) => registerAnswer(scope, routes));
}

const TAG = 'Device channel';
const endedByRefusal = 'The session has ended without a decision; `code` is -15, -22 or -23.';

function registerReads(app: HttpServer, { channel, turns, follow }: DeviceRoutes): void {
  const { 401: unsigned, 404: missing, 409: outdated } = refusals();
  const common = deviceSchema(TAG);

  app.get(
    DEVICE_PATH,
    {
      schema: {
        ...common,
        summary: 'See a session',
        description: 'Without a signature the role is `none` and the progress is left out. Claims nothing.',
        response: {
          200: ref(DeviceView, 'The session as this device may see it.'),
          401: unsigned,
          404: missing,
          409: outdated,
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
          ...refusals(),
        },
      },
    },
    async (request, reply) => {
      const { sessionId } = request.params;
      const signer = await requireSignature(request, 'updates', NO_BODY);
      await turns.requireDevice(sessionId, signer);
      const read = () => turns.view(sessionId, signer.key);
      const stream = streamViews({ follow, sessionId, deviceKey: signer.key, read });
      // Some proxies hold back what is not finished unless they are asked not to.
      return reply
        .headers({ 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' })
        .send(stream);
    },
  );
}

function addChanges(post: AddJsonRoute, channel: DeviceChannel): void {
  post(
    'claim',
    {
      summary: 'Claim a session for this device',
      description:
        'Signed with the key it names. The first claim opens the session; the same key gets the same plan again. Another key needs the code and number of a handoff, and gets a plan with the same steps and a new nonce and key. A wrong number ends the handoff and counts in the risk.',
      body: ClaimRequest,
      reply: ref(ClaimReply, 'The device holds the session.'),
      errors: {
        403: '`device_mismatch`: this key needs a code. `handoff_code_refused`, `handoff_number_refused`: a new code is needed. `third_device`.',
      },
    },
    async (sessionId, signer, claim) => {
      if (claim.publicKey !== signer.key) {
        throw new AppError('invalid_signature', 'The claim is not signed with the key it names.');
      }
      return channel.claim(sessionId, signer, claim);
    },
  );

  post(
    'log',
    {
      summary: 'Report steps as they happen',
      description:
        'Entries may be sent again unchanged. Different ones in their place are a `log_conflict`, as when two tabs on one device both report: claim again, which returns the stored log.',
      body: ReportRequest,
      reply: ref(DeviceView, 'Stored.'),
      errors: {
        409: '`log_conflict`: other entries were reported in that place. Or as for the other calls.',
        422: `The entries do not fit the plan. ${endedByRefusal}`,
      },
    },
    (id, signer, body) => channel.report(id, signer, body),
  );

  post(
    'cancel',
    {
      summary: 'Give up',
      body: CancelRequest,
      reply: ref(DeviceView, 'The session has ended without a decision.'),
    },
    (id, signer, body) => channel.cancel(id, signer, body),
  );
}

function registerAnswer(app: HttpServer, { channel, trustsProxy }: DeviceRoutes): void {
  addBytesRoute(
    app,
    TAG,
    'answer',
    {
      what: 'the sealed answer',
      bodyLimit: MAX_DEVICE_ANSWER_BYTES,
      summary: 'Send the sealed answer',
      description: `Exactly ${ENVELOPE_BYTES} bytes as ${BINARY_TYPE}. The same envelope again gets the same acknowledgement.`,
      reply: ref(DeviceView, 'The session has ended with this answer.'),
      errors: {
        400: `The body does not have ${ENVELOPE_BYTES} bytes.`,
        409: '`payload_replayed`, code -15: another answer came first. `log_conflict`: its log contradicts what was reported, and nothing has ended. Or as for the other calls.',
        413: 'The body is far too large.',
        422: `The answer cannot be opened or does not fit the plan. ${endedByRefusal}`,
      },
      check({ length }) {
        if (length === ENVELOPE_BYTES) return;
        const message = `A sealed answer has exactly ${ENVELOPE_BYTES} bytes; this body has ${length}.`;
        throw new AppError('malformed_request', message);
      },
    },
    (sessionId, signer, envelope, request) =>
      channel.answer(sessionId, signer, envelope, knownClientAddress(request, trustsProxy)),
  );
}
