// Device channel of verification sessions: tokens, passkeys, selfie and answer.
import { CONTACT_FORMS, LOG_MAX_ENTRIES, PASSKEY_TRIES, SCREEN_ORIENTATIONS, TOKEN_TRIES } from '@limen/plan';
import { type Static, Type } from 'typebox';
import { documentFields, LightAnswer, LogEntrySchema, SeenCameraSigns, SeenIndicators, Years } from './device.ts';
import { base64url } from './device-fields.ts';
import { oneOf } from './one-of.ts';
import { WebAuthnJson } from './web-authn-json.ts';

const closed = { additionalProperties: false };
const base64 = (description: string) => Type.String({ pattern: '^[A-Za-z0-9+/]+={0,2}$', description });

export const TokenChallengeReply = Type.Union(
  [
    Type.Object({
      outcome: Type.Literal('ready'),
      challenge: base64url(16, 'Identifies the one-time key.'),
      publicKey: base64('One-time key with which to encrypt the face.'),
      signature: base64(
        'ECDSA P-256 signature (SHA-256, r and s) by the key-holder. Signed text: `limen-token-challenge-v1`, challenge, purpose, session id, expiry in milliseconds since 1970, and the SHA-256 of the key in hex, joined with line feeds.',
      ),
      identity: base64(
        'Public key of the key-holder, an uncompressed P-256 point. Meaningful only to devices that know the key from another source.',
      ),
      purpose: oneOf(['enrol', 'identify', 'verify'], 'Operation for which the challenge is valid.'),
      expiresAt: Type.String({ format: 'date-time', description: 'When the challenge expires.' }),
      modelId: base64url(16, 'Embedding model to use for the face.'),
    }),
    Type.Object({
      outcome: Type.Literal('throttled'),
      retryAfter: Type.Integer({ description: 'Seconds to wait.' }),
    }),
  ],
  { $id: 'TokenChallengeReply', description: 'A challenge, or the time to wait for one.' },
);
export type TokenChallengeReply = Static<typeof TokenChallengeReply>;

/** Facts for the key-holder’s audit only. Devices omit facts that they do not know. */
export const CaptureFacts = Type.Object(
  {
    light: Type.Optional(Type.Integer({ minimum: 0, maximum: 255, description: 'Mean brightness of the face.' })),
    width: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 65_535, description: 'Width of the camera’s picture in pixels.' }),
    ),
    height: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_535 })),
    rate: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, description: 'Frames per second.' })),
    orientation: Type.Optional(oneOf(SCREEN_ORIENTATIONS, 'Orientation of the screen.')),
  },
  { $id: 'CaptureFacts', ...closed },
);
export type CaptureFacts = Static<typeof CaptureFacts>;

export const TokenReply = Type.Object(
  {
    outcome: oneOf(
      ['enrolled', 'matched', 'not_recognized', 'throttled'],
      '`not_recognized` also means that an ENROLL was not accepted. Try again with a new challenge.',
    ),
    deviceId: Type.Optional(
      Type.String({
        description:
          'Id of the key that you sent. It works once the session has ended successfully. Absent if you sent no key.',
      }),
    ),
    retryAfter: Type.Optional(Type.Integer({ description: 'Seconds to wait. Present only if throttled.' })),
    triesLeft: Type.Integer({ minimum: 0, maximum: TOKEN_TRIES }),
  },
  { $id: 'TokenReply' },
);
export type TokenReply = Static<typeof TokenReply>;

const deviceSignature = (label: string) =>
  base64url(
    64,
    `ECDSA P-256 signature (SHA-256, r and s). Signed text: \`${label}\`, session id, nonce, hash of the plan’s text in hex, and device id, joined with line feeds.`,
  );
const DeviceId = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'Device id as returned in an earlier session.',
});

export const LocalSignInRequest = Type.Object(
  {
    deviceId: DeviceId,
    signature: deviceSignature('limen-device-sign-in-v1'),
    indicators: Type.Optional(SeenIndicators),
  },
  { $id: 'LocalSignInRequest' },
);
export type LocalSignInRequest = Static<typeof LocalSignInRequest>;

export const LocalSignInReply = Type.Object(
  {
    outcome: oneOf(
      ['matched', 'server_required', 'refused'],
      '`server_required`: this time the service must compare the face. `refused`: the device is unknown or belongs to another person.',
    ),
  },
  { $id: 'LocalSignInReply' },
);
export type LocalSignInReply = Static<typeof LocalSignInReply>;

export const ForgetDeviceRequest = Type.Object(
  { deviceId: DeviceId, signature: deviceSignature('limen-device-forget-v1') },
  { $id: 'ForgetDeviceRequest' },
);
export type ForgetDeviceRequest = Static<typeof ForgetDeviceRequest>;

export const ForgetDeviceReply = Type.Object(
  {},
  { $id: 'ForgetDeviceReply', description: 'The device has been forgotten.' },
);
export type ForgetDeviceReply = Static<typeof ForgetDeviceReply>;

export const PasskeyRequest = Type.Object(
  { response: WebAuthnJson('The browser’s `RegistrationResponseJSON` or `AuthenticationResponseJSON`.') },
  { $id: 'PasskeyRequest' },
);
export type PasskeyRequest = Static<typeof PasskeyRequest>;

export const PasskeyReply = Type.Object(
  {
    outcome: oneOf(['accepted', 'refused']),
    triesLeft: Type.Integer({ minimum: 0, maximum: PASSKEY_TRIES }),
  },
  { $id: 'PasskeyReply' },
);
export type PasskeyReply = Static<typeof PasskeyReply>;

export const SelfieReply = Type.Object(
  {},
  { $id: 'SelfieReply', description: 'The selfie was received. It is kept encrypted until the session ends.' },
);
export type SelfieReply = Static<typeof SelfieReply>;

/** Content of a verification session’s sealed envelope. Unknown fields are refused. */
export const VerificationDeviceAnswer = Type.Object(
  {
    version: Type.Literal(1),
    sessionId: Type.String(),
    nonce: Type.String(),
    face: Type.Union([
      Type.Object({ spoof: Type.Literal(true) }, closed),
      Type.Object({ spoof: Type.Literal(false), light: LightAnswer }, closed),
      Type.Object({ spoof: Type.Literal(false), estimate: Years, lowerBound: Years, light: LightAnswer }, closed),
    ]),
    document: Type.Optional(Type.Object(documentFields, closed)),
    contact: Type.Optional(
      Type.Object(
        {
          email: Type.Optional(Type.String({ pattern: CONTACT_FORMS.email })),
          phone: Type.Optional(Type.String({ pattern: CONTACT_FORMS.phone })),
        },
        closed,
      ),
    ),
    indicators: SeenIndicators,
    camera: SeenCameraSigns,
    log: Type.Array(LogEntrySchema, { maxItems: LOG_MAX_ENTRIES }),
  },
  { $id: 'VerificationDeviceAnswer', ...closed },
);
export type VerificationDeviceAnswer = Static<typeof VerificationDeviceAnswer>;
