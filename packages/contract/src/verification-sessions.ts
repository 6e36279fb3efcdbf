// Verification sessions: creation, webhook bodies, results and test mode.
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
import { allowAlias } from './aliases.ts';
import { SessionHandoff } from './handoff.ts';
import { oneOf } from './one-of.ts';
import { ref } from './ref.ts';
import { Review } from './review.ts';
import { Indicators, RiskEvaluation, SimulatedRisk } from './risk.ts';
import { RedirectUrl, SessionCallback, SessionErrorCode, SessionLight, SessionLocale } from './session-fields.ts';
import { Warnings } from './warnings.ts';
import { VERIFICATION_FAILURE_SAMPLE, VERIFICATION_SAMPLE } from './webhook-samples.ts';

/** Bounds of `sessionExpiry`, in seconds. */
export const SESSION_EXPIRY_MIN_SECONDS = 1;
export const SESSION_EXPIRY_MAX_SECONDS = 24 * 60 * 60;

const Text = (maxLength: number, description: string) => Type.String({ maxLength, description });
const Puid = (description: string) => Type.String({ minLength: 1, maxLength: 200, description });

export const CreateVerificationSessionRequest = Type.Object(
  {
    type: oneOf(
      OPERATIONS,
      '`ENROLL` registers a face. `SIGN-IN` finds the person among those registered. `VERIFY` compares with one registered person.',
    ),
    redirectURL: RedirectUrl(
      'URL to which the browser is redirected after a success. Carries no result. http, https or an app’s scheme.',
      'redirectUrl',
    ),
    callback: SessionCallback,
    locale: Type.Optional(
      SessionLocale(
        'BCP 47 language tag, or a form such as `en_US`. Required for `SIGN-IN` and `VERIFY`. Default for `ENROLL`: `en`.',
      ),
    ),
    userId: Type.Optional(
      Puid('`puid` of the person to compare with. Required for `VERIFY`, not allowed for other types.'),
    ),
    enableDesktop: Type.Optional(
      Type.Boolean({
        description:
          'Whether a computer’s camera is accepted. Default: false. The page then shows a QR code for a phone.',
      }),
    ),
    sendImages: Type.Optional(
      Type.Boolean({
        description: 'Whether the webhook includes the selfie. The page informs the person. Default: false.',
      }),
    ),
    estimateAge: Type.Optional(
      Type.Boolean({
        description:
          'Adds `estimatedAge`, an estimate from the face. Only for `ENROLL`; ignored for other types. Default: false.',
      }),
    ),
    transactionID: Type.Optional(
      Type.String({
        maxLength: 256,
        description: 'Your own id for the transaction. Returned as `transactionId`, and also accepted under that name.',
        ...allowAlias('transactionId'),
      }),
    ),
    deviceInfo: Type.Optional(
      Type.Object(
        {
          os: Type.Optional(Text(200, 'Operating system.')),
          model: Type.Optional(Text(200, 'Device model.')),
          resolution: Type.Optional(Text(200, 'Screen resolution.')),
        },
        {
          additionalProperties: true, // other facts about the device are allowed without a warning
          description: 'Device for which the session is intended, as known to you. Validated but not stored.',
        },
      ),
    ),
    debugMode: Type.Optional(
      Type.Unsafe<boolean | ('1' | '2' | '3')[]>({
        description:
          'Writes detailed lines without personal data to the page’s console and the service’s log. Either true, or a list of levels of which the highest applies.',
        // A list of types instead of `anyOf`, so that a validation error names only the actual
        // problem.
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
          'Requirements for the person. Always includes `face`. `identity_document` is allowed only for `ENROLL`. Default: `["face"]`.',
      }),
    ),
    sessionExpiry: Type.Optional(
      Type.Unsafe<number | string>({
        description: `When the session expires, as seconds from now or an ISO 8601 time. From ${SESSION_EXPIRY_MIN_SECONDS} second to 24 hours from now.`,
        type: ['number', 'string'],
        minimum: SESSION_EXPIRY_MIN_SECONDS,
        maximum: SESSION_EXPIRY_MAX_SECONDS,
        minLength: 1,
        maxLength: 64,
      }),
    ),
    handoff: Type.Optional(
      SessionHandoff('review', ', unless a passkey with attestation was used on the device that started the session'),
    ),
    light: Type.Optional(SessionLight()),
    contact: Type.Optional(
      Type.Array(oneOf(CONTACT_FIELDS), {
        minItems: 1,
        maxItems: CONTACT_FIELDS.length,
        uniqueItems: true,
        description: 'Contact details that the `ENROLL` page also asks for. The person may omit any of them.',
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
    launchUrl: Type.String({ description: 'URL of the launch page.' }),
    sessionId: Type.String({
      format: 'uuid',
      description: 'Identifies the session in its webhook and in later requests.',
    }),
    warnings: Warnings,
  },
  { $id: 'CreatedVerificationSession' },
);
export type CreatedVerificationSession = Static<typeof CreatedVerificationSession>;

export const VerificationSessionError = Type.Object(
  { code: SessionErrorCode({ ...AGE_ERROR_CODES, ...VERIFICATION_ERROR_CODES }), message: Type.String() },
  {
    $id: 'VerificationSessionError',
    description: 'Reason why the session did not succeed, or a problem that occurred on the way.',
  },
);
export type VerificationSessionError = Static<typeof VerificationSessionError>;

const transactionId = Type.Optional(Type.String({ description: '`transactionID` given at creation.' }));
const sessionId = Type.String({ format: 'uuid' });

/** Outcome fields of both the webhook and the result. */
const outcomeFields = {
  transactionId,
  message: Type.Optional(Type.String()),
  puid: Type.Optional(Type.String({ description: 'Id of the person. Present after a success.' })),
  guid: Type.Optional(
    Type.String({ description: 'Id of the group to which the person belongs. Present after a success.' }),
  ),
  identityInformation: Type.Optional(
    Type.Object(
      {
        documentType: Type.Optional(oneOf(DOCUMENT_TYPES, 'Present only if a document was read.')),
        verificationDate: Type.String({ pattern: '^[0-9]+$', description: 'Milliseconds since 1970, as digits.' }),
      },
      { description: 'Present after a success.' },
    ),
  ),
  contactInformation: Type.Optional(
    Type.Object(
      { email: Type.Optional(Type.String()), phone: Type.Optional(Type.String()) },
      { description: 'Values that the person entered, if `contact` requested them.' },
    ),
  ),
  estimatedAge: Type.Optional(Type.Number({ description: 'Age estimate, if `estimateAge` requested it.' })),
  indicators: Type.Optional(ref(Indicators, 'Present only if browser data was received.')),
  riskEvaluation: Type.Optional(ref(RiskEvaluation, '`signals.behavioral` is always null here.')),
};
const failureFields = {
  errorCodes: Type.Array(Type.Integer(), { description: 'Error codes of a failed `SIGN-IN` or `VERIFY`.' }),
  retryAfter: Type.Optional(
    Type.Integer({ description: 'Seconds to wait before the next attempt, if there were too many attempts.' }),
  ),
};

export const VerificationWebhook = Type.Object(
  {
    sessionId,
    status: oneOf(['SUCCESS', 'FAILED', 'CANCELLED', 'EXPIRED']),
    ...outcomeFields,
    errors: Type.Array(ref(VerificationSessionError)),
    images: Type.Optional(
      Type.Array(Type.Object({ type: Type.Literal('selfie'), data: Type.String({ description: 'JPEG, base64.' }) }), {
        description:
          'Present after a success with `sendImages`. Images are deleted after the webhook was delivered, so a resent webhook has none.',
      }),
    ),
  },
  {
    $id: 'VerificationWebhook',
    description: 'Body of the webhook, except for a failed `SIGN-IN` or `VERIFY`.',
    examples: [VERIFICATION_SAMPLE],
  },
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
  {
    $id: 'VerificationFailure',
    description: 'Body of the webhook for a failed `SIGN-IN` or `VERIFY`.',
    examples: [VERIFICATION_FAILURE_SAMPLE],
  },
);
export type VerificationFailure = Static<typeof VerificationFailure>;

export const VerificationSessionResult = Type.Object(
  {
    sessionId,
    type: oneOf(OPERATIONS),
    status: oneOf(['PENDING', 'SUCCESS', 'FAILED', 'CANCELLED', 'EXPIRED'], '`PENDING` until the session has ended.'),
    ...outcomeFields,
    errors: Type.Optional(
      Type.Array(ref(VerificationSessionError), { description: 'Absent until the session has ended.' }),
    ),
    errorCodes: Type.Optional(failureFields.errorCodes),
    retryAfter: failureFields.retryAfter,
    review: Type.Optional(ref(Review, 'Present once a reviewer has decided.')),
  },
  { $id: 'VerificationSessionResult', description: 'Content of the webhook, without images.' },
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
      'How the session ends. A simulated success enrolls no one. Its `puid` is made up, or it is the `userId` of a `VERIFY` or the `puid` in this request.',
    ),
    puid: Type.Optional(
      Puid('Person who signs in, for example from an earlier `ENROLL`. Only for the `success` of a `SIGN-IN`.'),
    ),
    errorCode: Type.Optional(
      Type.Unsafe<(typeof SIMULATED_CODES)[number]>({
        type: 'integer',
        enum: SIMULATED_CODES,
        description:
          'Failure code of `not_recognized` (152, 153, 154, -9), or the reason for `cancelled`. Must be a code with which this session can end.',
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
            'Values that the person enters, out of those that `contact` requested. Only for the `success` of an `ENROLL`.',
        },
      ),
    ),
    newDevice: Type.Optional(
      Type.Boolean({
        description:
          'Simulates a known person on an unknown device. Raises the flag `NEW_DEVICE`, which limits the recommendation to `REVIEW`. An `ENROLL` also returns the message `User already enrolled`. (`flags: ["NEW_DEVICE"]` only raises the flag.) Only for `success`.',
      }),
    ),
    ...SimulatedRisk,
  },
  { $id: 'SimulateVerificationSessionRequest', examples: [{ outcome: 'success' }] },
);
export type SimulateVerificationSessionRequest = Static<typeof SimulateVerificationSessionRequest>;
