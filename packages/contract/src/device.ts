// Device channel: calls from the launch page, or an app in its place. See docs/device-protocol.md.
import {
  CAMERA_SIGN_NAMES,
  CANCEL_CODES,
  CONTACT_FIELDS,
  DOCUMENT_COUNTRY,
  DOCUMENT_SIGNS,
  DOCUMENT_TYPES,
  type IndicatorGroup,
  LIGHT_FINDINGS,
  LOG_EVENTS,
  LOG_MAX_AT,
  LOG_MAX_ENTRIES,
  LOG_MAX_INDEX,
  type LogEntry,
  MAX_YEARS,
  namesOf,
  OPERATIONS,
  PROOFS,
  RETURN_CODE_TRIES,
  THRESHOLD_RESULTS,
  VERIFICATION_TIME,
  WALLET_REFUSALS,
} from '@limen/plan';
import { type Static, Type } from 'typebox';
import { base64url, timestampSchema } from './device-fields.ts';
import { CarriedBox } from './handoff.ts';
import { formatMinutes, HANDOFF_CODE_TTL_MS } from './limits.ts';
import { oneOf } from './one-of.ts';
import { ref } from './ref.ts';

/** One log entry. packages/plan/src/log.ts defines the three members. */
export const LogEntrySchema = Type.Unsafe<LogEntry>({
  type: 'array',
  prefixItems: [
    { type: 'string', enum: LOG_EVENTS },
    { type: 'integer', minimum: 0, maximum: LOG_MAX_INDEX },
    { type: 'integer', minimum: 0, maximum: LOG_MAX_AT },
  ],
  items: false,
  minItems: 3,
  maxItems: 3,
  examples: [['started', 0, 1200]],
});

const DeviceEnd = Type.Object(
  {
    flowStatus: Type.Union([Type.Literal('COMPLETED'), Type.Literal('CANCELLED'), Type.Literal('EXPIRED')]),
    errors: Type.Array(Type.Integer(), {
      description:
        'The session’s error codes. Empty after a success. Also empty for the role `none`, unless no device ever claimed the session.',
    }),
    redirectUrl: Type.Optional(
      Type.String({
        description:
          'URL to which the host wants the person redirected. Visible to the roles that see `errors`. In a verification session, present only after a success; if the session changed devices, only the device that started it sees the URL, after the code was typed there.',
      }),
    ),
    returnCode: Type.Optional(
      Type.String({
        pattern: '^[0-9]{6}$',
        description:
          'Six digits to type on the device that started the session. Only in verification sessions that changed devices, after a success, for the other device.',
      }),
    ),
    returnCodeTriesLeft: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: RETURN_CODE_TRIES,
        description:
          'Remaining attempts at typing `returnCode`, for the device that started the session, until the code has been typed. 0 means that no attempt is left.',
      }),
    ),
    ageKeyOffer: Type.Optional(
      Type.Object(
        { ageOver: Type.Integer({ description: 'Age that the key would prove, in whole years.' }) },
        {
          description:
            'Offer to create an age key. Only in age sessions that accept age keys, after a successful check, for ten minutes, on the device that completed it.',
        },
      ),
    ),
  },
  { description: 'Present only once the session has ended.' },
);

/** Maximum length of the requester’s name, in characters. */
export const REQUESTER_MAX_LENGTH = 80;

const DeviceAsks = Type.Object(
  {
    requester: Type.Union([Type.String({ maxLength: REQUESTER_MAX_LENGTH }), Type.Null()], {
      description: 'Label of the API key that created the session, as of creation. Null if the key has no label.',
    }),
    operation: oneOf(['AGE', ...OPERATIONS], 'Purpose of the session: `AGE`, or the `type` of a verification session.'),
    steps: Type.Array(oneOf(['face', 'identity_document', 'passkey', 'contact']), {
      description:
        'Steps that the person will certainly go through, in order. Excludes steps that depend on the outcome of others and steps without a user action.',
    }),
    mayAskForDocument: Type.Boolean({
      description:
        'Whether a document may be requested if the face alone is not conclusive. False if a document is always or never requested.',
    }),
    sendsAge: Type.Boolean({
      description: 'Whether an age may leave the device, rather than only the threshold comparison.',
    }),
    sharesSelfie: Type.Boolean({ description: 'Whether the requester receives a picture of the face.' }),
    contact: Type.Array(oneOf(CONTACT_FIELDS), { description: 'Contact details that the person may enter.' }),
    passkey: Type.Boolean({ description: 'Whether a passkey is created or used.' }),
    proofs: Type.Optional(
      Type.Array(oneOf(PROOFS), {
        description:
          'Proofs accepted in place of the steps, fastest first. Lists only proofs that the service can verify now. Absent if there are none.',
      }),
    ),
    light: Type.Boolean({
      description: 'Whether the screen changes color during the capture. The person may decline.',
    }),
    lightRequired: Type.Optional(
      Type.Boolean({
        description:
          'Only with `light`. If the person declines, a document may be requested, or the recommendation is at most `REVIEW`.',
      }),
    ),
  },
  {
    description: 'Request to the person. Everyone with the link sees the same value, before and after the claim.',
  },
);

const SESSION_STATES = ['created', 'opened', 'capturing', 'completed', 'cancelled', 'expired'] as const;

export const DeviceView = Type.Object(
  {
    sessionId: Type.String({ format: 'uuid' }),
    state: Type.Unsafe<(typeof SESSION_STATES)[number]>({ type: 'string', enum: SESSION_STATES }),
    expiresAt: timestampSchema('When the session expires.'),
    serverTime: timestampSchema('Current time of the server’s clock.'),
    locale: Type.String({ description: 'Language of the page, BCP 47.' }),
    enableDesktop: Type.Boolean({ description: 'Whether a computer’s camera is accepted.' }),
    debugLevel: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 3,
        description: 'Log level of the page’s console. Logs contain no personal data. Absent if logging is off.',
      }),
    ),
    asks: DeviceAsks,
    role: Type.Union([Type.Literal('none'), Type.Literal('active'), Type.Literal('follower')], {
      description:
        '`active`: this device holds the session. `follower`: this device handed the session over and can only watch. `none`: the call was not signed, or the device is unknown.',
    }),
    progress: Type.Optional(
      Type.Object(
        {
          step: Type.Integer({ description: 'Position in the plan of the current or most recent step.' }),
          challengesDone: Type.Integer({ description: 'Challenges completed in the current attempt at that step.' }),
        },
        { description: 'Present once the first step has begun. Only for the session’s devices.' },
      ),
    ),
    handoff: oneOf(['offered', 'refused'], 'Whether the host allows the session to move to another device.'),
    wrongNumber: Type.Optional(
      Type.Literal(true, {
        description:
          'For the active device: someone picked a wrong number for the latest handoff code. That code is void; request a new one.',
      }),
    ),
    handoffDeclined: Type.Optional(
      Type.Literal(true, {
        description:
          'For the active device: someone with the latest handoff code declined, or did not see the number. That code is void; request a new one.',
      }),
    ),
    walletLinkRefused: Type.Optional(
      oneOf(
        WALLET_REFUSALS,
        'For the active device, until its next call about a proof: a wallet’s response to one of its links was refused. Gives the reason, as in the reply to `wallet`. All of those links have stopped working.',
      ),
    ),
    end: Type.Optional(DeviceEnd),
  },
  { $id: 'DeviceView', description: 'The session as its page sees it. Contains nothing that is secret from the host.' },
);
export type DeviceView = Static<typeof DeviceView>;

export const ClaimRequest = Type.Object(
  {
    publicKey: base64url(65, 'The device’s P-256 public key as an uncompressed point.'),
    code: Type.Optional(base64url(16, 'One-time code of a handoff.')),
    number: Type.Optional(
      Type.String({
        pattern: '^[0-9]{2}$',
        description: 'Number that the person picked. Required with `code`. A wrong number ends the handoff.',
      }),
    ),
    start: Type.Optional(
      Type.Boolean({
        description:
          'Starts the first step with this claim. On the session’s first claim, the log then begins with `["started", 0, 0]`, and no separate report is needed.',
      }),
    ),
  },
  { $id: 'ClaimRequest' },
);
export type ClaimRequest = Static<typeof ClaimRequest>;

export const ClaimReply = Type.Object(
  {
    plan: Type.String({ description: 'Plan as JSON text. Hash the text as received, then parse it.' }),
    view: ref(DeviceView),
    log: Type.Array(LogEntrySchema, {
      description: 'Entries reported so far, for a page that was reloaded. May be empty.',
    }),
    started: Type.Optional(
      Type.Literal(true, { description: 'Present if this claim’s `start` created the entry in `log`.' }),
    ),
    followed: Type.Optional(
      Type.Literal(true, { description: 'Present if another device follows. Report every entry as it happens.' }),
    ),
    carried: Type.Optional(
      ref(
        CarriedBox,
        `For a device that took over the session. Available until its first report and for at most ${formatMinutes(HANDOFF_CODE_TTL_MS)} after the code was created, then deleted.`,
      ),
    ),
  },
  { $id: 'ClaimReply' },
);
export type ClaimReply = Static<typeof ClaimReply>;

export const ReportRequest = Type.Object(
  {
    from: Type.Integer({
      minimum: 0,
      maximum: LOG_MAX_ENTRIES,
      description: 'Position in the full log of the first entry in `entries`.',
    }),
    entries: Type.Array(LogEntrySchema, { minItems: 1, maxItems: LOG_MAX_ENTRIES }),
  },
  { $id: 'ReportRequest' },
);
export type ReportRequest = Static<typeof ReportRequest>;

export const CancelRequest = Type.Object(
  {
    code: Type.Optional(
      Type.Unsafe<(typeof CANCEL_CODES)[number]>({
        type: 'integer',
        enum: CANCEL_CODES,
        description: 'Reason for the cancellation. Omit if the person chose to stop.',
      }),
    ),
  },
  { $id: 'CancelRequest' },
);
export type CancelRequest = Static<typeof CancelRequest>;

const ThresholdAnswer = oneOf(THRESHOLD_RESULTS);
export const Years = Type.Number({ minimum: 0, maximum: MAX_YEARS });
const closed = { additionalProperties: false };

/** Facts about a document besides the age. None of them identifies the holder. */
export const documentFields = {
  /** Match of the live face and the document’s photo. Null without a face step or a comparison. */
  matchScore: Type.Union([Type.Number({ minimum: -1, maximum: 1 }), Type.Null()]),
  type: oneOf(DOCUMENT_TYPES),
  country: Type.Union([Type.String({ pattern: DOCUMENT_COUNTRY }), Type.Null()]),
  verifiedAt: Type.String({ pattern: VERIFICATION_TIME }),
  signs: Type.Array(oneOf(DOCUMENT_SIGNS), { uniqueItems: true, maxItems: DOCUMENT_SIGNS.length }),
};

/** Finding of the light challenge on a live face. Present if and only if the plan has light. */
export const LightAnswer = Type.Optional(oneOf(LIGHT_FINDINGS));
/** Anomalies of the camera stream. Omitted or empty if there are none. */
export const SeenCameraSigns = Type.Optional(
  Type.Array(oneOf(CAMERA_SIGN_NAMES), { uniqueItems: true, maxItems: CAMERA_SIGN_NAMES.length }),
);

const seenOf = (group: IndicatorGroup) => Type.Array(Type.String(), { maxItems: namesOf(group).length });

/** Names of the indicators that the page saw, by group. Null without browser data. */
export const SeenIndicators = Type.Union([
  Type.Null(),
  Type.Object(
    {
      headless: seenOf('headless'),
      virtualCamera: seenOf('virtualCamera'),
      browserAnomalies: seenOf('browserAnomalies'),
    } satisfies Record<IndicatorGroup, unknown>,
    closed,
  ),
]);
export type SeenIndicators = Static<typeof SeenIndicators>;

/**
 * Content of an age session’s sealed envelope, as JSON text. Unknown fields are refused. Each step
 * sends the fields that the plan’s `report` requests.
 */
export const AgeDeviceAnswer = Type.Object(
  {
    version: Type.Literal(1),
    sessionId: Type.String(),
    nonce: Type.String(),
    face: Type.Optional(
      Type.Union([
        Type.Object({ spoof: Type.Literal(true) }, closed),
        Type.Object(
          {
            spoof: Type.Literal(false),
            thresholdResult: ThresholdAnswer,
            // Only if the lower bound is below: whether the estimate is too. Older pages omit the
            // field.
            estimateBelow: Type.Optional(Type.Boolean()),
            light: LightAnswer,
          },
          closed,
        ),
        Type.Object({ spoof: Type.Literal(false), estimate: Years, lowerBound: Years, light: LightAnswer }, closed),
      ]),
    ),
    document: Type.Optional(
      Type.Union([
        Type.Object({ thresholdResult: ThresholdAnswer, ...documentFields }, closed),
        // Whole years, because a fraction would reveal the birthday.
        Type.Object({ age: Type.Integer({ minimum: 0, maximum: MAX_YEARS }), ...documentFields }, closed),
      ]),
    ),
    indicators: SeenIndicators,
    camera: SeenCameraSigns,
    log: Type.Array(LogEntrySchema, { maxItems: LOG_MAX_ENTRIES }),
  },
  { $id: 'AgeDeviceAnswer', ...closed },
);
export type AgeDeviceAnswer = Static<typeof AgeDeviceAnswer>;
