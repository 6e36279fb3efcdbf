// Area D: verification sessions, their webhook bodies and results, and the test mode.
import {
  AGE_ERROR_CODES,
  CONTACT_FIELDS,
  CONTACT_FORMS,
  DOCUMENT_TYPES,
  OPERATIONS,
  VERIFICATION_ERROR_CODES,
} from '@limen/plan';
import { type Static, Type } from 'typebox';
import { SIMULATED_REASONS } from './age-sessions.ts';
import { SessionHandoff } from './handoff.ts';
import { oneOf } from './one-of.ts';
import { ref } from './ref.ts';
import { Indicators, RiskEvaluation, SimulatedRisk } from './risk.ts';
import { SessionCallback, SessionLocale, SessionUrl } from './session-fields.ts';

/** Longest and shortest life that `sessionExpiry` may give a session, in seconds. */
export const SESSION_EXPIRY_MIN_SECONDS = 1;
export const SESSION_EXPIRY_MAX_SECONDS = 24 * 60 * 60;

const Text = (maxLength: number, description: string) => Type.String({ maxLength, description });
const Puid = (description: string) => Type.String({ minLength: 1, maxLength: 200, description });

export const CreateVerificationSessionRequest = Type.Object(
  {
    type: oneOf(
      OPERATIONS,
      '`ENROLL` registers a face, `SIGN-IN` finds the person among those registered, `VERIFY` compares with one of them.',
    ),
    redirectURL: SessionUrl(
      'Where the browser is sent after success, without a result: http, https or the scheme of an app.',
    ),
    callback: SessionCallback,
    locale: Type.Optional(
      SessionLocale('BCP 47, or `en_US`. Required for `SIGN-IN` and `VERIFY`; default for `ENROLL`: `en`.'),
    ),
    userId: Type.Optional(Puid('The `puid` to compare with. `VERIFY` only, and required there.')),
    enableDesktop: Type.Optional(
      Type.Boolean({
        description: 'Whether a computer’s camera will do. Default: false; the page then offers a QR code.',
      }),
    ),
    sendImages: Type.Optional(
      Type.Boolean({
        description: 'Whether the selfie comes in the webhook; the page tells the person so. Default: false.',
      }),
    ),
    estimateAge: Type.Optional(
      Type.Boolean({ description: 'Whether the age is estimated from the face. `ENROLL` only. Default: false.' }),
    ),
    transactionID: Type.Optional(Text(256, 'Your own id of the transaction; comes back as `transactionId`.')),
    deviceInfo: Type.Optional(
      Type.Object(
        {
          os: Type.Optional(Text(200, 'Operating system.')),
          model: Type.Optional(Text(200, 'Model of the device.')),
          resolution: Type.Optional(Text(200, 'Of its screen.')),
        },
        { description: 'The device that the session is meant for, as you know it. It is checked and not kept.' },
      ),
    ),
    debugMode: Type.Optional(
      Type.Unsafe<boolean | ('1' | '2' | '3')[]>({
        description:
          'Verbose lines in the page’s console and in the service’s log, nothing of them personal: true, or levels of which the highest counts.',
        // A list of types, not `anyOf`: a refusal then names the one thing that is wrong and not each form that it is not.
        type: ['boolean', 'array'],
        items: { type: 'string', enum: ['1', '2', '3'] },
        uniqueItems: true,
      }),
    ),
    requirements: Type.Optional(
      Type.Array(oneOf(['face', 'identity_document', 'passkey']), {
        minItems: 1,
        uniqueItems: true,
        description:
          'What is asked for; `face` always is. `identity_document` with `ENROLL` only. Default: `["face"]`.',
      }),
    ),
    sessionExpiry: Type.Optional(
      Type.Unsafe<number | string>({
        description: `When the session ends by itself: seconds from now, or an ISO 8601 time; from ${SESSION_EXPIRY_MIN_SECONDS} second to 24 hours from now.`,
        type: ['number', 'string'],
        minimum: SESSION_EXPIRY_MIN_SECONDS,
        maximum: SESSION_EXPIRY_MAX_SECONDS,
        minLength: 1,
        maxLength: 64,
      }),
    ),
    handoff: Type.Optional(
      SessionHandoff('review', ', unless a passkey that is vouched for was used on the device that began'),
    ),
    contact: Type.Optional(
      Type.Array(oneOf(CONTACT_FIELDS), {
        minItems: 1,
        uniqueItems: true,
        description: 'What the `ENROLL` page asks for besides; the person may leave either out.',
      }),
    ),
  },
  { $id: 'CreateVerificationSessionRequest' },
);
export type CreateVerificationSessionRequest = Static<typeof CreateVerificationSessionRequest>;

export const CreatedVerificationSession = Type.Object(
  {
    launchUrl: Type.String({ description: 'Where the person starts.' }),
    sessionId: Type.String({ format: 'uuid', description: 'Names the session in its webhook and in the calls below.' }),
  },
  { $id: 'CreatedVerificationSession' },
);
export type CreatedVerificationSession = Static<typeof CreatedVerificationSession>;

export const VerificationSessionError = Type.Object(
  { code: Type.Integer(), message: Type.String() },
  { $id: 'VerificationSessionError', description: 'Why it did not succeed, or what went wrong on the way.' },
);
export type VerificationSessionError = Static<typeof VerificationSessionError>;

const transactionId = Type.Optional(Type.String({ description: 'The `transactionID` of the creation.' }));
const sessionId = Type.String({ format: 'uuid' });

/** What an end tells, in the webhook and in the result. */
const outcomeFields = {
  transactionId,
  message: Type.Optional(Type.String()),
  puid: Type.Optional(Type.String({ description: 'The person; after a success.' })),
  guid: Type.Optional(Type.String({ description: 'The group that the person belongs to; after a success.' })),
  identityInformation: Type.Optional(
    Type.Object(
      {
        documentType: Type.Optional(oneOf(DOCUMENT_TYPES, 'Only when a document was read.')),
        verificationDate: Type.String({ pattern: '^[0-9]+$', description: 'Milliseconds since 1970, as digits.' }),
      },
      { description: 'After a success.' },
    ),
  ),
  contactInformation: Type.Optional(
    Type.Object(
      { email: Type.Optional(Type.String()), phone: Type.Optional(Type.String()) },
      { description: 'What the person left, where `contact` asked for it.' },
    ),
  ),
  estimatedAge: Type.Optional(Type.Number({ description: 'The unbiased estimate, where `estimateAge` asked for it.' })),
  indicators: Type.Optional(ref(Indicators, 'Only when there is browser data.')),
  riskEvaluation: Type.Optional(ref(RiskEvaluation, '`signals.behavioral` is null in this area.')),
};
const failureFields = {
  errorCodes: Type.Array(Type.Integer(), { description: 'Of a failed `SIGN-IN` or `VERIFY`.' }),
  retryAfter: Type.Optional(
    Type.Integer({ description: 'Seconds to wait before another attempt, when there were too many.' }),
  ),
};

export const VerificationWebhook = Type.Object(
  {
    sessionId,
    status: oneOf(['SUCCESS', 'FAILED', 'CANCELLED', 'EXPIRED']),
    ...outcomeFields,
    errors: Type.Array(ref(VerificationSessionError)),
    images: Type.Optional(
      Type.Array(Type.Object({ type: Type.Literal('selfie'), data: Type.String({ description: 'A JPEG, base64.' }) }), {
        description:
          'After a success with `sendImages`; gone once the webhook was delivered, so that one sent again has none.',
      }),
    ),
  },
  { $id: 'VerificationWebhook', description: 'The body of the webhook, unless a `SIGN-IN` or `VERIFY` failed.' },
);
export type VerificationWebhook = Static<typeof VerificationWebhook>;

export const VerificationFailure = Type.Object(
  {
    status: Type.Literal('error'),
    message: Type.String(),
    ...failureFields,
    sessionId,
    transactionId,
  },
  { $id: 'VerificationFailure', description: 'The body of the webhook of a failed `SIGN-IN` or `VERIFY`.' },
);
export type VerificationFailure = Static<typeof VerificationFailure>;

export const VerificationSessionResult = Type.Object(
  {
    sessionId,
    type: oneOf(OPERATIONS),
    status: oneOf(['PENDING', 'SUCCESS', 'FAILED', 'CANCELLED', 'EXPIRED'], '`PENDING` until the session has ended.'),
    ...outcomeFields,
    errors: Type.Optional(Type.Array(ref(VerificationSessionError), { description: 'Absent until the end.' })),
    errorCodes: Type.Optional(failureFields.errorCodes),
    retryAfter: failureFields.retryAfter,
  },
  { $id: 'VerificationSessionResult', description: 'What the webhook tells, without images.' },
);
export type VerificationSessionResult = Static<typeof VerificationSessionResult>;

const SIMULATED_CODES = [
  ...Object.values(VERIFICATION_ERROR_CODES),
  AGE_ERROR_CODES.faceMismatch,
  ...SIMULATED_REASONS,
];

export const SimulateVerificationSessionRequest = Type.Object(
  {
    outcome: oneOf(
      ['success', 'spoof', 'not_recognized', 'cancelled', 'expired'],
      'How the session shall end. A simulated success enrols nobody: its `puid` is made up, the `userId` of a `VERIFY`, or the `puid` beside.',
    ),
    puid: Type.Optional(
      Puid('Who signs in, such as somebody whom you know from an `ENROLL`. For the `success` of a `SIGN-IN` only.'),
    ),
    errorCode: Type.Optional(
      Type.Unsafe<(typeof SIMULATED_CODES)[number]>({
        type: 'integer',
        enum: SIMULATED_CODES,
        description:
          'Which failure `not_recognized` is (152, 153, 154, -9), or why a device gave up beside `cancelled`; those that the session can come to.',
      }),
    ),
    retryAfter: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 86_400,
        description: 'Seconds to wait, as after too many attempts. For a failure.',
      }),
    ),
    contactInformation: Type.Optional(
      Type.Object(
        {
          email: Type.Optional(Type.String({ pattern: CONTACT_FORMS.email })),
          phone: Type.Optional(Type.String({ pattern: CONTACT_FORMS.phone })),
        },
        { description: 'What the person leaves, of what `contact` asked for. For the `success` of an `ENROLL`.' },
      ),
    ),
    newDevice: Type.Optional(
      Type.Boolean({
        description:
          'Whether nothing but the face speaks for the person: the flag `NEW_DEVICE`, and at best `REVIEW`. For a `success`; that of an `ENROLL` is then of somebody who was enrolled before.',
      }),
    ),
    ...SimulatedRisk,
  },
  { $id: 'SimulateVerificationSessionRequest' },
);
export type SimulateVerificationSessionRequest = Static<typeof SimulateVerificationSessionRequest>;
