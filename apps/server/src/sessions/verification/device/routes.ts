// HTTP of the calls that only a verification session's device makes.

import {
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
import { clientAddress } from '../../../platform/http/limits/client-address.ts';
import { inOwnScope } from '../../../platform/http/own-scope.ts';
import type { HttpServer } from '../../../platform/http/types.ts';
import { addBytesRoute, BINARY_TYPE, jsonRoutes, requireSessionFirst } from '../../device/signed-routes.ts';
import type { Sessions } from '../../lifecycle/sessions.ts';
import { rememberRequest } from '../debug.ts';
import type { LocalCalls } from './local-calls.ts';
import type { PasskeyCalls } from './passkey-calls.ts';
import type { TokenCalls } from './token-calls.ts';

interface VerificationDeviceRoutes {
  token: TokenCalls;
  local: LocalCalls;
  passkey: PasskeyCalls;
  sessions: Pick<Sessions, 'find'>;
}

export function registerVerificationDeviceRoutes(app: HttpServer, routes: VerificationDeviceRoutes): void {
  for (const register of [registerJson, registerToken, registerSelfie]) {
    inOwnScope(app, (scope) => {
      scope.addHook('preHandler', rememberRequest);
      register(scope, routes);
    });
  }
}

const TAG = 'Device channel: verification';
const inStep = { 409: '`step_not_running`: its step has not begun, or is finished. Or as for the other calls.' };
const compared = {
  409: '`challenge_refused`: there is no open challenge, or it is too old. `step_not_running`. Or as for the other calls.',
  503: '`keyholder_unavailable`: nothing is lost, and the same call works later. Or the service is busy.',
};

function registerJson(app: HttpServer, { token, local, passkey }: VerificationDeviceRoutes): void {
  const post = jsonRoutes(app, TAG);

  post('token/challenge', {
    summary: 'Get a one-time key for the face',
    description: 'In the token step; no body or `{}`. Good for one minute and one call of `token`.',
    reply: ref(TokenChallengeReply, 'The key, or how long to wait.'),
    errors: compared,
    handle: (sessionId, signer, _body, request) => token.challenge(sessionId, signer, clientAddress(request)),
  });

  post('token/local', {
    summary: 'Report that the device recognized the face',
    description: 'In the token step of SIGN-IN and VERIFY, signed by a device that an earlier session made known.',
    body: LocalSignInRequest,
    reply: ref(LocalSignInReply),
    errors: inStep,
    handle: (id, signer, body) => local.signIn(id, signer, body),
  });

  post('token/forget', {
    summary: 'Forget this device',
    description: 'In any step. The device is then no longer known as the person’s.',
    body: ForgetDeviceRequest,
    reply: ref(ForgetDeviceReply),
    errors: { 403: '`forbidden`: no such device, or not its signature. Or as for the other calls.' },
    handle: (id, signer, body) => local.forget(id, signer, body),
  });

  post('passkey/options', {
    summary: 'Get what the browser needs for a passkey',
    description: 'In the passkey step; no body or `{}`. Good for one call of `passkey`.',
    reply: ref(PasskeyOptionsReply),
    errors: inStep,
    handle: (id, signer) => passkey.options(id, signer),
  });

  post('passkey', {
    summary: 'Send the passkey that was created or used',
    body: PasskeyRequest,
    reply: ref(PasskeyReply),
    errors: inStep,
    handle: (id, signer, body) => passkey.send(id, signer, body),
  });
}

function registerToken(app: HttpServer, { token, sessions }: VerificationDeviceRoutes): void {
  requireSessionFirst(app, sessions);
  addBytesRoute(app, TAG, 'token', {
    what: 'the encrypted face',
    bodyLimit: TOKEN_CALL_WITH_CAPTURE_BYTES + 1,
    summary: 'Send the encrypted face',
    description: `As ${BINARY_TYPE}: a version byte, the key of the person’s device or zeros, the face encrypted under the key of the challenge. ${TOKEN_CALL_BYTES} bytes as version 1. Version 2 adds sealed facts about the camera, for the audit: ${TOKEN_CALL_WITH_CAPTURE_BYTES} bytes. At most ${TOKEN_TRIES} per session. A repeated body gets the same reply.`,
    reply: ref(TokenReply, 'The result of the comparison.'),
    errors: {
      400: 'The body has a wrong length or version, or an invalid key.',
      ...compared,
      507: '`store_full`: an enrollment of any face while the gallery is full.',
    },
    handle: (id, signer, body) => token.send(id, signer, body),
  });
}

function registerSelfie(app: HttpServer, { token, sessions }: VerificationDeviceRoutes): void {
  requireSessionFirst(app, sessions);
  addBytesRoute(app, TAG, 'selfie', {
    what: 'the sealed selfie',
    bodyLimit: SELFIE_MAX_BYTES + SEALED_EXTRA_BYTES,
    summary: 'Send the selfie for the host',
    description: `In the token step, if the plan has \`sendsSelfie\`: a JPEG of at most ${SELFIE_MAX_BYTES} bytes, sealed like the answer under the label \`limen-selfie-v1\` and without padding, as ${BINARY_TYPE}.`,
    reply: ref(SelfieReply),
    errors: {
      400: 'It cannot be opened, or is not a JPEG.',
      ...inStep,
      403: '`forbidden`: the session did not request it, or as for the other calls.',
    },
    handle: (id, signer, body) => token.sendSelfie(id, signer, body),
  });
}
