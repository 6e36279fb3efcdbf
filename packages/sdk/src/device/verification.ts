// Device calls of a verification session: tokens, local sign-in, passkeys, selfie.

import type {
  CaptureFacts,
  ForgetDeviceRequest,
  LocalSignInReply,
  LocalSignInRequest,
  PasskeyOptionsReply,
  PasskeyReply,
  SeenIndicators,
  TokenChallengeReply,
  TokenReply,
} from '@limen/contract';
import {
  type DevicePlan,
  PERSON_DEVICE_KEY_BYTES,
  TOKEN_BYTES,
  TOKEN_CALL_VERSION,
  TOKEN_CALL_WITH_CAPTURE_VERSION,
} from '@limen/plan';
import type { CallOptions } from '../http/exchange.ts';
import { encodeBase64url } from '../text/base64url.ts';
import { planHash, sealCapture, sealSelfie } from './answer.ts';
import type { DeviceCall } from './exchange.ts';
import { type DeviceKey, exportDeviceKeyBytes, signText } from './keys/signing.ts';

/** Signature contexts. A signature for one is not valid for the other. */
const CONTEXTS = { signIn: 'limen-device-sign-in-v1', forget: 'limen-device-forget-v1' } as const;

export interface TokenParts {
  /** Face, encrypted with the challenge's key. */
  probe: Uint8Array;
  /** Public half of a new key pair that will identify the person's device. */
  deviceKey?: DeviceKey | undefined;
  /** Facts about the camera for the key-holder's audit, sealed for this session. */
  capture?: CaptureFacts | undefined;
}

/** A key pair that was registered for a person in an earlier session. */
export interface PersonDevice {
  deviceId: string;
  privateKey: DeviceKey;
}

export interface LocalSignInOptions extends CallOptions {
  /** Browser indicators. If they are suspicious, the service requires the face. */
  indicators?: SeenIndicators | undefined;
}

/** All calls require a claim. The service accepts each only while its step is running. */
export type VerificationCalls = ReturnType<typeof createVerificationCalls>;

interface VerificationCallContext {
  planText: string;
  plan: DevicePlan;
  send<Result>(call: DeviceCall): Promise<Result>;
}

/** `inTurn` sends pending reports first and runs one call at a time. */
export function createVerificationCalls(
  inTurn: <Result>(options: CallOptions, work: (turn: VerificationCallContext) => Promise<Result>) => Promise<Result>,
) {
  return {
    /** Returns a one-time key for the face, or the time to wait. */
    tokenChallenge: (options: CallOptions = {}): Promise<TokenChallengeReply> =>
      inTurn(options, ({ send }) => send({ operation: 'token/challenge', json: {}, ...options })),
    /** Sends the encrypted face. Another call with identical pieces gets the same reply. */
    sendToken: (pieces: TokenParts, options: CallOptions = {}): Promise<TokenReply> =>
      inTurn(options, async ({ planText, send }) =>
        send({ operation: 'token', bytes: await encodeTokenBody(planText, pieces), ...options }),
      ),
    /** Reports that the face was recognized locally, signed with the registered key. */
    signInLocally: (
      { deviceId, privateKey }: PersonDevice,
      { indicators, signal }: LocalSignInOptions = {},
    ): Promise<LocalSignInReply> =>
      inTurn({ signal }, async ({ planText, plan, send }) => {
        const signature = await signStatement('signIn', plan, planText, deviceId, privateKey);
        const json: LocalSignInRequest = { deviceId, signature, ...(indicators && { indicators }) };
        return send({ operation: 'token/local', json, signal });
      }),
    /** Unregisters this device. Allowed in any step. */
    forgetDevice: ({ deviceId, privateKey }: PersonDevice, options: CallOptions = {}): Promise<void> =>
      inTurn(options, async ({ planText, plan, send }) => {
        const signature = await signStatement('forget', plan, planText, deviceId, privateKey);
        const json: ForgetDeviceRequest = { deviceId, signature };
        await send({ operation: 'token/forget', json, ...options });
      }),
    /** Returns options for `navigator.credentials`, to create or use a passkey. */
    passkeyOptions: (options: CallOptions = {}): Promise<PasskeyOptionsReply> =>
      inTurn(options, ({ send }) => send({ operation: 'passkey/options', json: {}, ...options })),
    /** Sends the browser's response as JSON. */
    sendPasskey: (response: object, options: CallOptions = {}): Promise<PasskeyReply> =>
      inTurn(options, ({ send }) => send({ operation: 'passkey', json: { response }, ...options })),
    /** Sends a sealed JPEG for the host, in the token step of a plan with `sendsSelfie`. */
    sendSelfie: (jpeg: Uint8Array, options: CallOptions = {}): Promise<void> =>
      inTurn(options, async ({ planText, send }) => {
        await send({ operation: 'selfie', bytes: await sealSelfie(planText, jpeg), ...options });
      }),
  };
}

/** Signs purpose, session, plan and device id. */
async function signStatement(
  word: keyof typeof CONTEXTS,
  plan: DevicePlan,
  planText: string,
  deviceId: string,
  key: DeviceKey,
): Promise<string> {
  const text = [CONTEXTS[word], plan.sessionId, plan.nonce, await planHash(planText), deviceId].join('\n');
  return encodeBase64url(await signText(key, text));
}

/** Joins a version byte, the device key or zeros, the probe, and the camera facts. */
async function encodeTokenBody(
  planText: string,
  { probe, deviceKey, capture }: TokenParts,
): Promise<Uint8Array<ArrayBuffer>> {
  if (probe.length !== TOKEN_BYTES) throw new RangeError(`A probe has ${TOKEN_BYTES} bytes.`);
  const head = 1 + PERSON_DEVICE_KEY_BYTES;
  const sealed = capture && (await sealCapture(planText, capture));
  const bytes = new Uint8Array(head + TOKEN_BYTES + (sealed?.length ?? 0));
  bytes[0] = sealed ? TOKEN_CALL_WITH_CAPTURE_VERSION : TOKEN_CALL_VERSION;
  if (deviceKey) bytes.set(await exportDeviceKeyBytes(deviceKey), 1);
  bytes.set(probe, head);
  if (sealed) bytes.set(sealed, head + TOKEN_BYTES);
  return bytes;
}
