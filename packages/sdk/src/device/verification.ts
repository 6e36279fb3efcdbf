// The device's calls of a verification session: tokens, what this device remembers, passkeys, the selfie.

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

/** A signature for one is not valid for the other. */
const CONTEXTS = { signIn: 'limen-device-sign-in-v1', forget: 'limen-device-forget-v1' } as const;

export interface TokenPieces {
  /** The face, encrypted with the key of the challenge. */
  probe: Uint8Array;
  /** Public half of a new key pair by which this device shall be known as the person's; none without it. */
  deviceKey?: DeviceKey | undefined;
  /** What the camera is like, for the audit of the key-holder; sealed for this session. */
  capture?: CaptureFacts | undefined;
}

/** A key pair that an earlier session made known as a person's. */
export interface PersonDevice {
  deviceId: string;
  privateKey: DeviceKey;
}

export interface LocalSignInOptions extends CallOptions {
  /** What the browser shows of itself: where that is doubtful, the service wants to see the face. */
  indicators?: SeenIndicators | undefined;
}

/** All of them need a claim before. The service takes each only while its step runs. */
export type VerificationCalls = ReturnType<typeof createVerificationCalls>;

interface Turn {
  planText: string;
  plan: DevicePlan;
  send<Result>(call: DeviceCall): Promise<Result>;
}

/** `inTurn` brings what has to go first, and runs one call at a time. */
export function createVerificationCalls(
  inTurn: <Result>(options: CallOptions, work: (turn: Turn) => Promise<Result>) => Promise<Result>,
) {
  return {
    /** A one-time key for the face; or how long to wait. */
    tokenChallenge: (options: CallOptions = {}): Promise<TokenChallengeReply> =>
      inTurn(options, ({ send }) => send({ operation: 'token/challenge', json: {}, ...options })),
    /** Shows the encrypted face to the service. Called again with the very same pieces, it has the same reply. */
    sendToken: (pieces: TokenPieces, options: CallOptions = {}): Promise<TokenReply> =>
      inTurn(options, async ({ planText, send }) =>
        send({ operation: 'token', bytes: await joinPieces(planText, pieces), ...options }),
      ),
    /** Says that the face was recognised here, signed with the key that the service knows. */
    signInLocally: (
      { deviceId, privateKey }: PersonDevice,
      { indicators, signal }: LocalSignInOptions = {},
    ): Promise<LocalSignInReply> =>
      inTurn({ signal }, async ({ planText, plan, send }) => {
        const signature = await signStatement('signIn', plan, planText, deviceId, privateKey);
        const json: LocalSignInRequest = { deviceId, signature, ...(indicators && { indicators }) };
        return send({ operation: 'token/local', json, signal });
      }),
    /** The service forgets that this device is the person's. In any step. */
    forgetDevice: ({ deviceId, privateKey }: PersonDevice, options: CallOptions = {}): Promise<void> =>
      inTurn(options, async ({ planText, plan, send }) => {
        const signature = await signStatement('forget', plan, planText, deviceId, privateKey);
        const json: ForgetDeviceRequest = { deviceId, signature };
        await send({ operation: 'token/forget', json, ...options });
      }),
    /** For `navigator.credentials`: to make a passkey, or to use one. */
    passkeyOptions: (options: CallOptions = {}): Promise<PasskeyOptionsReply> =>
      inTurn(options, ({ send }) => send({ operation: 'passkey/options', json: {}, ...options })),
    /** What the browser gave for it, as JSON. */
    sendPasskey: (response: object, options: CallOptions = {}): Promise<PasskeyReply> =>
      inTurn(options, ({ send }) => send({ operation: 'passkey', json: { response }, ...options })),
    /** A JPEG for the host, sealed for this session. In the token step, where the plan says `sendsSelfie`. */
    sendSelfie: (jpeg: Uint8Array, options: CallOptions = {}): Promise<void> =>
      inTurn(options, async ({ planText, send }) => {
        await send({ operation: 'selfie', bytes: await sealSelfie(planText, jpeg), ...options });
      }),
  };
}

/** What a person's device signs: what for, which session, which plan, and as which device. */
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

/** A version, the key of the person's device or zeros, the probe, and what the camera is like. */
async function joinPieces(
  planText: string,
  { probe, deviceKey, capture }: TokenPieces,
): Promise<Uint8Array<ArrayBuffer>> {
  if (probe.length !== TOKEN_BYTES) throw new RangeError(`a probe has ${TOKEN_BYTES} bytes`);
  const head = 1 + PERSON_DEVICE_KEY_BYTES;
  const sealed = capture && (await sealCapture(planText, capture));
  const bytes = new Uint8Array(head + TOKEN_BYTES + (sealed?.length ?? 0));
  bytes[0] = sealed ? TOKEN_CALL_WITH_CAPTURE_VERSION : TOKEN_CALL_VERSION;
  if (deviceKey) bytes.set(await exportDeviceKeyBytes(deviceKey), 1);
  bytes.set(probe, head);
  if (sealed) bytes.set(sealed, head + TOKEN_BYTES);
  return bytes;
}
