// The device channel: what the launch page, or an app that stands in for it, says to the service. docs/device-protocol.md
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
import { base64url, timeOf } from './device-fields.ts';
import { CarriedBox } from './handoff.ts';
import { HANDOFF_CODE_TTL_MS, minutesInWords } from './limits.ts';
import { oneOf } from './one-of.ts';
import { ref } from './ref.ts';

/** What each says: packages/plan/src/log.ts. */
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
        'The session’s error codes; empty after a success, and for the role `none` unless no device ever claimed the session.',
    }),
    redirectUrl: Type.Optional(
      Type.String({
        description:
          'Where the host wants the person next; visible to whoever sees `errors`. In a verification session only after a success, and if the session changed devices, only to the device that started it, once the code has been typed.',
      }),
    ),
    returnCode: Type.Optional(
      Type.String({
        pattern: '^[0-9]{6}$',
        description:
          'Verification sessions, after the success of a session that changed devices, for the device that did not start it: six digits to type on the one that did.',
      }),
    ),
    returnCodeTriesLeft: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: RETURN_CODE_TRIES,
        description:
          'In the same case, for the device that started the session, until the code has been typed: how many tries are left. 0 means none, for good.',
      }),
    ),
    ageKeyOffer: Type.Optional(
      Type.Object(
        { ageOver: Type.Integer({ description: 'What the key would prove, in whole years.' }) },
        {
          description:
            'Age sessions that accept age keys, after a check that ended well, for the device that finished it, for ten minutes: an age key may be made.',
        },
      ),
    ),
  },
  { description: 'Only once the session has ended.' },
);

/** Characters that the name of who asks has at most. */
export const REQUESTER_MAX_LENGTH = 80;

const DeviceAsks = Type.Object(
  {
    requester: Type.Union([Type.String({ maxLength: REQUESTER_MAX_LENGTH }), Type.Null()], {
      description:
        'Who is asking: the label of the API key that created the session, as it was then; null without one.',
    }),
    operation: oneOf(
      ['AGE', ...OPERATIONS],
      'What the session is for: an age, or the `type` of a verification session.',
    ),
    steps: Type.Array(oneOf(['face', 'identity_document', 'passkey', 'contact']), {
      description:
        'What is certain to be asked for, in this order. Steps that depend on another’s outcome are left out, as are those that ask nothing of the person.',
    }),
    mayAskForDocument: Type.Boolean({
      description:
        'Whether a document is asked for if the face alone does not settle it; false if one is certain to be asked for, or never will be.',
    }),
    sendsAge: Type.Boolean({
      description: 'Whether an age may leave the device, rather than only which side of the threshold it is on.',
    }),
    sharesSelfie: Type.Boolean({ description: 'Whether whoever is asking gets a picture of the face.' }),
    contact: Type.Array(oneOf(CONTACT_FIELDS), { description: 'Contact details that the person may enter.' }),
    passkey: Type.Boolean({ description: 'Whether a passkey is created or used.' }),
    proofs: Type.Optional(
      Type.Array(oneOf(PROOFS), {
        description:
          'What is taken instead of the steps, fastest first; absent for nothing. Only what the service can check now.',
      }),
    ),
    light: Type.Boolean({
      description: 'Whether the screen is going to change its colour while the camera looks; the person may decline.',
    }),
    lightRequired: Type.Optional(
      Type.Boolean({
        description:
          'With `light`: whoever declines may be asked for a document, or is at most recommended for review.',
      }),
    ),
  },
  { description: 'What the person is asked for: the same for everybody with the link, before and after the claim.' },
);

const SESSION_STATES = ['created', 'opened', 'capturing', 'completed', 'cancelled', 'expired'] as const;

export const DeviceView = Type.Object(
  {
    sessionId: Type.String({ format: 'uuid' }),
    state: Type.Unsafe<(typeof SESSION_STATES)[number]>({ type: 'string', enum: SESSION_STATES }),
    expiresAt: timeOf('When the session expires.'),
    serverTime: timeOf('Now, by the server’s clock.'),
    locale: Type.String({ description: 'Language of the page, BCP 47.' }),
    enableDesktop: Type.Boolean({ description: 'Whether a computer’s camera is accepted.' }),
    debugLevel: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 3,
        description: 'How much the page writes to its console, none of it personal; absent for nothing.',
      }),
    ),
    asks: DeviceAsks,
    role: Type.Union([Type.Literal('none'), Type.Literal('active'), Type.Literal('follower')], {
      description:
        '`active`: this device holds the session. `follower`: it handed the session on and may only watch. `none`: the call was not signed, or the device is not known.',
    }),
    progress: Type.Optional(
      Type.Object(
        {
          step: Type.Integer({ description: 'Position in the plan of the step that is running or ran last.' }),
          challengesDone: Type.Integer({ description: 'Challenges done in the current attempt at that step.' }),
        },
        { description: 'Once the first step has begun; only for the devices of the session.' },
      ),
    ),
    handoff: oneOf(['offered', 'refused'], 'Whether the host lets the session move to another device.'),
    wrongNumber: Type.Optional(
      Type.Literal(true, {
        description:
          'For the active device: somebody with its last code picked a wrong number. That code is void; make a new one.',
      }),
    ),
    handoffDeclined: Type.Optional(
      Type.Literal(true, {
        description:
          'For the active device: somebody with its last code saw none of the numbers, or says that they did not start this. That code is void; make a new one.',
      }),
    ),
    walletLinkRefused: Type.Optional(
      oneOf(
        WALLET_REFUSALS,
        'For the active device, until its next call about a proof: a wallet answered one of its links, and that was not taken. Why, as in the reply to `wallet`. None of those links works any more.',
      ),
    ),
    end: Type.Optional(DeviceEnd),
  },
  { $id: 'DeviceView', description: 'What a page may know about its session. None of it is secret from the host.' },
);
export type DeviceView = Static<typeof DeviceView>;

export const ClaimRequest = Type.Object(
  {
    publicKey: base64url(65, 'The device’s P-256 key as an uncompressed point.'),
    code: Type.Optional(base64url(16, 'The one-time code of a handoff.')),
    number: Type.Optional(
      Type.String({
        pattern: '^[0-9]{2}$',
        description:
          'Required with a code: the number the person picked. A number other than the one shown ends the handoff.',
      }),
    ),
    start: Type.Optional(
      Type.Boolean({
        description:
          'The first step starts with this claim: if it is the session’s first, the log begins with `["started", 0, 0]`, and no report of that is needed.',
      }),
    ),
  },
  { $id: 'ClaimRequest' },
);
export type ClaimRequest = Static<typeof ClaimRequest>;

export const ClaimReply = Type.Object(
  {
    plan: Type.String({ description: 'JSON text of the plan. Hash it as it came, then parse it.' }),
    view: ref(DeviceView),
    log: Type.Array(LogEntrySchema, {
      description: 'What has already been reported, for a page that was reloaded; or empty.',
    }),
    started: Type.Optional(
      Type.Literal(true, { description: 'The entry in `log` was made by this very claim, with its `start`.' }),
    ),
    followed: Type.Optional(
      Type.Literal(true, { description: 'Another device follows: report every entry as it happens.' }),
    ),
    carried: Type.Optional(
      ref(
        CarriedBox,
        `For a device that took over the session, until its first report and for at most ${minutesInWords(HANDOFF_CODE_TTL_MS)} after the code was made; then it is deleted.`,
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
      description: 'Position in the whole log of the first entry below.',
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
        description: 'Why, unless the person wanted to stop.',
      }),
    ),
  },
  { $id: 'CancelRequest' },
);
export type CancelRequest = Static<typeof CancelRequest>;

const ThresholdAnswer = oneOf(THRESHOLD_RESULTS);
export const Years = Type.Number({ minimum: 0, maximum: MAX_YEARS });
const closed = { additionalProperties: false };

/** What is said of a document beside the age: nothing that tells whose it is. */
export const documentFields = {
  /** Live face against the document's; null where the plan has no face step, or nothing could be compared. */
  matchScore: Type.Union([Type.Number({ minimum: -1, maximum: 1 }), Type.Null()]),
  type: oneOf(DOCUMENT_TYPES),
  country: Type.Union([Type.String({ pattern: DOCUMENT_COUNTRY }), Type.Null()]),
  verifiedAt: Type.String({ pattern: VERIFICATION_TIME }),
  signs: Type.Array(oneOf(DOCUMENT_SIGNS), { uniqueItems: true, maxItems: DOCUMENT_SIGNS.length }),
};

/** Where the plan has light, and only there: what was seen of it on a living face. */
export const LightAnswer = Type.Optional(oneOf(LIGHT_FINDINGS));
/** What is odd about the camera; left out or empty where nothing is. */
export const SeenCameraSigns = Type.Optional(
  Type.Array(oneOf(CAMERA_SIGN_NAMES), { uniqueItems: true, maxItems: CAMERA_SIGN_NAMES.length }),
);

const seenOf = (group: IndicatorGroup) => Type.Array(Type.String(), { maxItems: namesOf(group).length });

/** The names of the indicators that were seen, by group; null without browser data. */
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
 * What is inside the envelope of an age session: the JSON text of this, and nothing that is not in it. The fields of a
 * step are those that the plan's `report` asks for.
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
            // Only beside a bound that is below: whether the plain estimate is, too. Older pages leave it out.
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
        // Whole years: a fraction would give the birthday away.
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
