// HTTP of the calls that only a verification session's device makes.

import {
  ErrorReply,
  ForgetDeviceReply,
  ForgetDeviceRequest,
  LocalSignInReply,
  LocalSignInRequest,
  PasskeyOptionsReply,
  PasskeyReply,
  PasskeyRequest,
  ref,
  SelfieReply,
  TokenChallengeReply,
  TokenReply,
} from '@limen/contract';
import {
  SEALED_EXTRA_BYTES,
  SELFIE_MAX_BYTES,
  TOKEN_CALL_BYTES,
  TOKEN_CALL_WITH_CAPTURE_BYTES,
  TOKEN_TRIES,
} from '@limen/plan';
import { Type } from 'typebox';
import { clientAddress } from '../../../platform/http/limits/client-address.ts';
import { inOwnScope } from '../../../platform/http/own-scope.ts';
import type { HttpServer } from '../../../platform/http/types.ts';
import type { DeviceChannel } from '../../device/channel.ts';
import {
  BINARY_TYPE,
  badBody,
  COMMON_REFUSALS,
  DEVICE_PATH,
  deviceSchema,
  NO_BODY,
  requireSessionFirst,
  requireSignature,
  signBinaryRoutes,
  signJsonRoutes,
} from '../../device/signed-routes.ts';
import { rememberRequest } from '../debug.ts';
import type { LocalCalls } from './local-calls.ts';
import type { PasskeyCalls } from './passkey-calls.ts';
import type { SendSelfie } from './selfie-call.ts';
import type { TokenCalls } from './token-calls.ts';

interface VerificationDeviceRoutes {
  token: TokenCalls;
  local: LocalCalls;
  passkey: PasskeyCalls;
  sendSelfie: SendSelfie;
  channel: Pick<DeviceChannel, 'requireSession'>;
}

export function registerVerificationDeviceRoutes(app: HttpServer, routes: VerificationDeviceRoutes): void {
  for (const register of [registerJson, registerToken, registerSelfie]) {
    inOwnScope(app, (scope) => {
      scope.addHook('preHandler', rememberRequest);
      register(scope, routes);
    });
  }
}

const common = deviceSchema('Device channel: verification');
const refusals = {
  ...COMMON_REFUSALS,
  409: ref(ErrorReply, '`step_not_running`: its step has not begun, or is finished. Or as for the other calls.'),
};
const compared = {
  ...refusals,
  409: ref(
    ErrorReply,
    '`challenge_refused`: there is no open challenge, or it is too old. `step_not_running`. Or as for the other calls.',
  ),
  503: ref(
    ErrorReply,
    '`keyholder_unavailable`: nothing is lost, and the same call works later. Or the service is busy.',
  ),
};
const Nothing = Type.Object({});
/** Bytes and nothing to validate; the handler checks their number, for the reference's sake they have a schema. */
const bytes = {
  validatorCompiler: () => () => true,
  body: Type.Unsafe<Buffer>({ type: 'string', format: 'binary' }),
};

function registerJson(app: HttpServer, { token, local, passkey }: VerificationDeviceRoutes): void {
  const { signed, signerOf } = signJsonRoutes(app);

  app.post(
    `${DEVICE_PATH}/token/challenge`,
    {
      ...signed('token/challenge'),
      schema: {
        ...common,
        summary: 'Get a one-time key for the face',
        description: 'In the token step; no body or `{}`. Good for one minute and one call of `token`.',
        body: Nothing,
        response: { 200: ref(TokenChallengeReply, 'The key, or how long to wait.'), ...badBody, ...compared },
      },
    },
    async (request) => token.challenge(request.params.sessionId, signerOf(request), clientAddress(request)),
  );

  app.post(
    `${DEVICE_PATH}/token/local`,
    {
      ...signed('token/local'),
      schema: {
        ...common,
        summary: 'Report that the device recognised the face',
        description: 'In the token step of SIGN-IN and VERIFY, signed by a device that an earlier session made known.',
        body: LocalSignInRequest,
        response: { 200: ref(LocalSignInReply), ...badBody, ...refusals },
      },
    },
    async (request) => local.signIn(request.params.sessionId, signerOf(request), request.body),
  );

  app.post(
    `${DEVICE_PATH}/token/forget`,
    {
      ...signed('token/forget'),
      schema: {
        ...common,
        summary: 'Forget this device',
        description: 'In any step. The device is then no longer known as the person’s.',
        body: ForgetDeviceRequest,
        response: {
          200: ref(ForgetDeviceReply),
          ...badBody,
          ...COMMON_REFUSALS,
          403: ref(ErrorReply, '`forbidden`: no such device, or not its signature. Or as for the other calls.'),
        },
      },
    },
    async (request) => local.forget(request.params.sessionId, signerOf(request), request.body),
  );

  app.post(
    `${DEVICE_PATH}/passkey/options`,
    {
      ...signed('passkey/options'),
      schema: {
        ...common,
        summary: 'Get what the browser needs for a passkey',
        description: 'In the passkey step; no body or `{}`. Good for one call of `passkey`.',
        body: Nothing,
        response: { 200: ref(PasskeyOptionsReply), ...badBody, ...refusals },
      },
    },
    async (request) => passkey.options(request.params.sessionId, signerOf(request)),
  );

  app.post(
    `${DEVICE_PATH}/passkey`,
    {
      ...signed('passkey'),
      schema: {
        ...common,
        summary: 'Send the passkey that was created or used',
        body: PasskeyRequest,
        response: { 200: ref(PasskeyReply), ...badBody, ...refusals },
      },
    },
    async (request) => passkey.send(request.params.sessionId, signerOf(request), request.body.response),
  );
}

function registerToken(app: HttpServer, { token, channel }: VerificationDeviceRoutes): void {
  requireSessionFirst(app, channel);
  signBinaryRoutes(app, 'the encrypted face');
  app.post(
    `${DEVICE_PATH}/token`,
    {
      bodyLimit: TOKEN_CALL_WITH_CAPTURE_BYTES + 1,
      validatorCompiler: bytes.validatorCompiler,
      schema: {
        ...common,
        summary: 'Send the encrypted face',
        description: `As ${BINARY_TYPE}: a version byte, the key of the person’s device or zeros, the face encrypted under the key of the challenge. ${TOKEN_CALL_BYTES} bytes as version 1. Version 2 adds sealed facts about the camera, for the audit: ${TOKEN_CALL_WITH_CAPTURE_BYTES} bytes. At most ${TOKEN_TRIES} per session. The same body again gets the same reply.`,
        consumes: [BINARY_TYPE],
        body: bytes.body,
        response: {
          200: ref(TokenReply, 'What the service made of it.'),
          400: ref(ErrorReply, 'The body has a wrong length or version, or an invalid key.'),
          ...compared,
          413: ref(ErrorReply, 'The body is too large.'),
          415: ref(ErrorReply, `The body is not sent as ${BINARY_TYPE}.`),
          507: ref(
            ErrorReply,
            '`store_full`: an enrolment, whoever’s face it is, while there is no room for more people.',
          ),
        },
      },
    },
    async (request) => {
      const body = request.body ?? NO_BODY;
      return token.send(request.params.sessionId, await requireSignature(request, 'token', body), body);
    },
  );
}

function registerSelfie(app: HttpServer, { sendSelfie, channel }: VerificationDeviceRoutes): void {
  requireSessionFirst(app, channel);
  signBinaryRoutes(app, 'the sealed selfie');
  app.post(
    `${DEVICE_PATH}/selfie`,
    {
      bodyLimit: SELFIE_MAX_BYTES + SEALED_EXTRA_BYTES,
      validatorCompiler: bytes.validatorCompiler,
      schema: {
        ...common,
        summary: 'Send the selfie for the host',
        description: `In the token step, if the plan has \`sendsSelfie\`: a JPEG of at most ${SELFIE_MAX_BYTES} bytes, sealed like the answer under the label \`limen-selfie-v1\` and without padding, as ${BINARY_TYPE}.`,
        consumes: [BINARY_TYPE],
        body: bytes.body,
        response: {
          200: ref(SelfieReply),
          400: ref(ErrorReply, 'It cannot be opened, or is not a JPEG.'),
          ...refusals,
          403: ref(ErrorReply, '`forbidden`: nobody asked for it. Or as for the other calls.'),
          413: ref(ErrorReply, 'The body is too large.'),
          415: ref(ErrorReply, `The body is not sent as ${BINARY_TYPE}.`),
        },
      },
    },
    async (request) => {
      const body = request.body ?? NO_BODY;
      return sendSelfie(request.params.sessionId, await requireSignature(request, 'selfie', body), body);
    },
  );
}
