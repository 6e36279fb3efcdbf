// HTTP of the device channel: the only interface that the launch page has.
import type { Readable } from 'node:stream';
import {
  CancelRequest,
  ClaimReply,
  ClaimRequest,
  DeviceView,
  formatMinutes,
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
import { HANDOFF_CODE_TTL_MS, MAX_DEVICE_ANSWER_BYTES } from '../limits.ts';
import type { DeviceChannel } from './channel.ts';
import { streamViews, type ViewFollower } from './follow.ts';
import type { Handoffs } from './handoff.ts';
import * as signed from './signed-routes.ts';
import type { DeviceTurns } from './turns.ts';

interface DeviceRoutes {
  /** Whether the service believes what proxies say of their clients. */
  trustsProxy: boolean;
  channel: DeviceChannel;
  handoffs: Handoffs;
  turns: DeviceTurns;
  follow: ViewFollower;
}

export function registerDeviceRoutes(app: HttpServer, routes: DeviceRoutes): void {
  app.addHook('preClose', (done) => {
    routes.follow.close(); // a stream that is not ended would keep the server from closing
    done();
  });
  registerReads(app, routes);
  inOwnScope(app, (scope) => {
    const post = signed.jsonRoutes(scope, TAG);
    addChanges(post, routes.channel);
    addHandoffs(post, routes.handoffs);
  });
  inOwnScope(app, (scope) => registerAnswer(scope, routes));
}

const TAG = 'Device channel';
const endedByRefusal = 'The session has ended without a decision; `code` is -15, -22 or -23.';
const codeRefused = '`handoff_code_refused`: used, replaced or too old. `third_device`. `device_mismatch`.';

function registerReads(app: HttpServer, { channel, turns, follow }: DeviceRoutes): void {
  const { 401: unsigned, 404: missing, 409: outdated } = signed.refusals();
  const common = signed.deviceSchema(TAG);

  app.get(
    signed.DEVICE_PATH,
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
    async (request) => channel.view(request.params.sessionId, await signed.readSignature(request, '', signed.NO_BODY)),
  );

  app.get(
    `${signed.DEVICE_PATH}/updates`,
    {
      exposeHeadRoute: false,
      schema: {
        ...common,
        summary: 'Follow a session',
        description:
          'Server-sent events named `view`, each a DeviceView: one at once, then one per change, until the session has ended. One stream per device; a newer one ends the older.',
        response: {
          200: onlyAs('text/event-stream', Type.Unsafe<Readable>({ type: 'string' }), 'The stream.'),
          ...signed.refusals(),
        },
      },
    },
    async (request, reply) => {
      const { sessionId } = request.params;
      const signer = await signed.requireSignature(request, 'updates', signed.NO_BODY);
      await turns.requireDevice(sessionId, signer);
      const read = () => turns.view(sessionId, signer.key);
      const stream = streamViews({ follow, sessionId, deviceKey: signer.key, read });
      // Some proxies buffer a reply until it ends, unless this header forbids it.
      return reply
        .headers({ 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' })
        .send(stream);
    },
  );
}

function addChanges(post: signed.AddJsonRoute, channel: DeviceChannel): void {
  post('claim', {
    summary: 'Claim a session for this device',
    description:
      'Signed with the key it names. The first claim opens the session; the same key gets the same plan again. Another key needs the code and number of a handoff, and gets a plan with the same steps and a new nonce and key. A wrong number ends the handoff and counts in the risk.',
    body: ClaimRequest,
    reply: ref(ClaimReply, 'The device holds the session.'),
    errors: {
      403: '`device_mismatch`: this key needs a code. `handoff_code_refused`, `handoff_number_refused`: a new code is needed. `third_device`.',
    },
    async handle(sessionId, signer, claim) {
      if (claim.publicKey === signer.key) return channel.claim(sessionId, signer, claim);
      throw new AppError('invalid_signature', 'The claim is not signed with the key it names.');
    },
  });

  post('log', {
    summary: 'Report steps as they happen',
    description:
      'Entries may be sent again unchanged. Different ones in their place are a `log_conflict`, as when two tabs on one device both report: claim again, which returns the stored log.',
    body: ReportRequest,
    reply: ref(DeviceView, 'Stored.'),
    errors: {
      409: '`log_conflict`: other entries were reported in that place. Or as for the other calls.',
      422: `The entries do not fit the plan. ${endedByRefusal}`,
    },
    handle: (id, signer, body) => channel.report(id, signer, body),
  });

  post('cancel', {
    summary: 'Give up',
    body: CancelRequest,
    reply: ref(DeviceView, 'The session has ended without a decision.'),
    handle: (id, signer, body) => channel.cancel(id, signer, body),
  });
}

function addHandoffs(post: signed.AddJsonRoute, handoffs: Handoffs): void {
  post('handoff', {
    summary: 'Get a code that lets another device take over',
    description: `The code works once, for ${formatMinutes(HANDOFF_CODE_TTL_MS)}; a new one replaces it. Results of finished steps may be carried over, sealed under a key that the service does not get.`,
    body: HandoffRequest,
    reply: ref(HandoffReply, 'An address for a QR code, and a number to show next to it.'),
    errors: {
      403: '`forbidden`: the host refuses handoffs, or the session has used up its codes. Or as for the other calls.',
    },
    handle: (id, signer, body) => handoffs.offer(id, signer, body),
  });

  post('handoff/look', {
    summary: 'See who started the session, before taking over',
    description: 'Signed with the key that would claim. Changes nothing, and may be repeated.',
    body: HandoffLookRequest,
    reply: ref(HandoffLook, 'The numbers to show the person.'),
    errors: { 403: codeRefused },
    handle: (id, signer, body) => handoffs.look(id, signer, body),
  });

  post('handoff/decline', {
    summary: 'Decline a handoff: none of the numbers is shown, or this person did not start it',
    description:
      'Signed with the key that would claim. The code becomes void, the device that made it is notified, and the risk gets `HANDOFF_NUMBER_WRONG`. Repeated after a lost reply, it gets `handoff_code_refused`.',
    body: HandoffDeclineRequest,
    reply: ref(DeviceView, 'As for a device that has no part in the session.'),
    errors: { 403: codeRefused },
    handle: (id, signer, body) => handoffs.decline(id, signer, body),
  });

  post('handoff/return', {
    summary: 'Send the code shown on the other device',
    description:
      'Verification sessions, after a success, by the device that started the session, if its view has `end.returnCodeTriesLeft`. The same wrong code is not counted twice.',
    body: ReturnCodeRequest,
    reply: ref(DeviceView, 'With `end.redirectUrl`.'),
    errors: {
      403: '`return_code_refused`: the message says how many tries are left. `forbidden`: no code is expected.',
    },
    handle: (id, signer, body) => handoffs.giveBack(id, signer, body),
  });
}

function registerAnswer(app: HttpServer, { channel, trustsProxy }: DeviceRoutes): void {
  signed.addBytesRoute(app, TAG, 'answer', {
    what: 'the sealed answer',
    bodyLimit: MAX_DEVICE_ANSWER_BYTES,
    summary: 'Send the sealed answer',
    description: `Exactly ${ENVELOPE_BYTES} bytes as ${signed.BINARY_TYPE}. A repeated envelope gets the same acknowledgment.`,
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
    handle: (sessionId, signer, envelope, request) =>
      channel.answer(sessionId, signer, envelope, knownClientAddress(request, trustsProxy)),
  });
}
