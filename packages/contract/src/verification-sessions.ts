// Verification sessions: their creation, webhook bodies and results, and the test mode.
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
import { alsoReadAs } from './aliases.ts';
import { SessionHandoff } from './handoff.ts';
import { oneOf } from './one-of.ts';
import { ref } from './ref.ts';
import { Review } from './review.ts';
import { Indicators, RiskEvaluation, SimulatedRisk } from './risk.ts';
import { RedirectUrl, SessionCallback, SessionLight, SessionLocale } from './session-fields.ts';
import { Warnings } from './warnings.ts';

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
    redirectURL: RedirectUrl(
      'Address for the browser after success, without a result: http, https or an app’s scheme.',
      'redirectUrl',
    ),
    callback: SessionCallback,
    locale: Type.Optional(
      SessionLocale('BCP 47, or `en_US`. Required for `SIGN-IN` and `VERIFY`; default for `ENROLL`: `en`.'),
    ),
    userId: Type.Optional(Puid('The `puid` to compare with. `VERIFY` only, and required there.')),
    enableDesktop: Type.Optional(
      Type.Boolean({
        description: 'Whether a computer’s camera is accepted. Default: false; the page then offers a QR code.',
      }),
    ),
    sendImages: Type.Optional(
      Type.Boolean({
        description: 'Whether the webhook contains the selfie; the page tells the person so. Default: false.',
      }),
    ),
    estimateAge: Type.Optional(
      Type.Boolean({
        description:
          'Adds `estimatedAge`, estimated from the face. `ENROLL` only; ignored on other types. Default: false.',
      }),
    ),
    transactionID: Type.Optional(
      Type.String({
        maxLength: 256,
        description: 'Your own id for the transaction; returned as `transactionId`, and also read under that name.',
        ...alsoReadAs('transactionId'),
      }),
    ),
    deviceInfo: Type.Optional(
      Type.Object(
        {
          os: Type.Optional(Text(200, 'Operating system.')),
          model: Type.Optional(Text(200, 'Model of the device.')),
          resolution: Type.Optional(Text(200, 'Of its screen.')),
        },
        {
          additionalProperties: true, // any other facts about the device are welcome, without a warning
          description: 'The device the session is meant for, as you know it. Checked but not kept.',
        },
      ),
    ),
    debugMode: Type.Optional(
      Type.Unsafe<boolean | ('1' | '2' | '3')[]>({
        description:
          'Writes detailed lines, none of them personal, to the page’s console and the service’s log: true, or levels of which the highest counts.',
        // A list of types, not `anyOf`: a refusal then names the one thing that is wrong and not each form that it is not.
        type: ['boolean', 'array'],
        items: { type: 'string', enum: ['1', '2', '3'] },
        maxItems: 3,
        uniqueItems: true,
      }),
    ),
    requirements: Type.Optional(
      Type.Array(oneOf(['face', 'identity_document', 'passkey']), {
        minItems: 1,
        maxItems: 3,
        uniqueItems: true,
        description:
          'What the person is asked for. Always includes `face`; `identity_document` is for `ENROLL` only. Default: `["face"]`.',
      }),
    ),
    sessionExpiry: Type.Optional(
      Type.Unsafe<number | string>({
        description: `When the session expires: seconds from now, or an ISO 8601 time; from ${SESSION_EXPIRY_MIN_SECONDS} second to 24 hours from now.`,
        type: ['number', 'string'],
        minimum: SESSION_EXPIRY_MIN_SECONDS,
        maximum: SESSION_EXPIRY_MAX_SECONDS,
        minLength: 1,
        maxLength: 64,
      }),
    ),
    handoff: Type.Optional(
      SessionHandoff('review', ', unless a vouched-for passkey was used on the device that started the session'),
    ),
    light: Type.Optional(SessionLight()),
    contact: Type.Optional(
      Type.Array(oneOf(CONTACT_FIELDS), {
        minItems: 1,
        maxItems: CONTACT_FIELDS.length,
        uniqueItems: true,
        description: 'Contact details that the `ENROLL` page also asks for; the person may leave any of them out.',
      }),
    ),
  },
  {
    $id: 'CreateVerificationSessionRequest',
    examples: [
      {
        type: 'ENROLL',
        redirectURL: 'https://shop.example/welcome',
        callback: { url: 'https://shop.example/hook' },
        transactionID: 'order-4711',
      },
    ],
  },
);
export type CreateVerificationSessionRequest = Static<typeof CreateVerificationSessionRequest>;

export const CreatedVerificationSession = Type.Object(
  {
    launchUrl: Type.String({ description: 'Where the person starts.' }),
    sessionId: Type.String({
      format: 'uuid',
      description: 'Identifies the session in its webhook and in the calls below.',
    }),
    warnings: Warnings,
  },
  { $id: 'CreatedVerificationSession' },
);
export type CreatedVerificationSession = Static<typeof CreatedVerificationSession>;

export const VerificationSessionError = Type.Object(
  { code: Type.Integer(), message: Type.String() },
  { $id: 'VerificationSessionError', description: 'Why it did not succeed, or what went wrong along the way.' },
);
export type VerificationSessionError = Static<typeof VerificationSessionError>;

const transactionId = Type.Optional(Type.String({ description: 'The `transactionID` given at creation.' }));
const sessionId = Type.String({ format: 'uuid' });

/** What an end tells, in the webhook and in the result. */
const outcomeFields = {
  transactionId,
  message: Type.Optional(Type.String()),
  puid: Type.Optional(Type.String({ description: 'The person; after a success.' })),
  guid: Type.Optional(Type.String({ description: 'The group the person belongs to; after a success.' })),
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
      { description: 'What the person entered, if `contact` asked for it.' },
    ),
  ),
  estimatedAge: Type.Optional(Type.Number({ description: 'The plain estimate, if `estimateAge` asked for it.' })),
  indicators: Type.Optional(ref(Indicators, 'Only when there is browser data.')),
  riskEvaluation: Type.Optional(ref(RiskEvaluation, '`signals.behavioral` is always null here.')),
};
const failureFields = {
  errorCodes: Type.Array(Type.Integer(), { description: 'For a failed `SIGN-IN` or `VERIFY`.' }),
  retryAfter: Type.Optional(
    Type.Integer({ description: 'Seconds to wait before another attempt, if there were too many.' }),
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
          'After a success with `sendImages`. Deleted once the webhook has been delivered, so a resend has none.',
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
  { $id: 'VerificationFailure', description: 'The body of the webhook for a failed `SIGN-IN` or `VERIFY`.' },
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
    review: Type.Optional(ref(Review, 'Once it is decided.')),
  },
  { $id: 'VerificationSessionResult', description: 'What the webhook says, without images.' },
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
      'How the session ends. A simulated success enrols nobody: its `puid` is made up, or is the `userId` of a `VERIFY`, or the `puid` you send.',
    ),
    puid: Type.Optional(
      Puid('Who signs in, for example somebody you know from an `ENROLL`. Only for the `success` of a `SIGN-IN`.'),
    ),
    errorCode: Type.Optional(
      Type.Unsafe<(typeof SIMULATED_CODES)[number]>({
        type: 'integer',
        enum: SIMULATED_CODES,
        description:
          'Which failure `not_recognized` is (152, 153, 154, -9), or why the device gave up, for `cancelled`. Only codes that this session can end with.',
      }),
    ),
    retryAfter: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 86_400,
        description: 'Seconds to wait, as after too many attempts. Only for `not_recognized` and `spoof`.',
      }),
    ),
    contactInformation: Type.Optional(
      Type.Object(
        {
          email: Type.Optional(Type.String({ pattern: CONTACT_FORMS.email })),
          phone: Type.Optional(Type.String({ pattern: CONTACT_FORMS.phone })),
        },
        {
          description:
            'What the person enters, out of what `contact` asked for. Only for the `success` of an `ENROLL`.',
        },
      ),
    ),
    newDevice: Type.Optional(
      Type.Boolean({
        description:
          'Plays a known person on an unknown device: raises the flag `NEW_DEVICE`, so at most `REVIEW`, and makes an `ENROLL` say `User already enrolled`. (`flags: ["NEW_DEVICE"]` raises the flag only.) Only for `success`.',
      }),
    ),
    ...SimulatedRisk,
  },
  { $id: 'SimulateVerificationSessionRequest', examples: [{ outcome: 'success' }] },
);
export type SimulateVerificationSessionRequest = Static<typeof SimulateVerificationSessionRequest>;
