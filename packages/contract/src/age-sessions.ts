// Age sessions: their creation, their results, and the test mode.
import {
  AGE_ERROR_CODES,
  AGE_KEY_DEFAULT_DAYS,
  AGE_KEY_MAX_DAYS,
  AGE_METHODS,
  AGE_SOURCES,
  DOCUMENT_COUNTRY,
  DOCUMENT_TYPES,
  FACE_MATCH_THRESHOLD,
  PROOFS,
  THRESHOLD_RESULTS,
} from '@limen/plan';
import { type Static, Type } from 'typebox';
import { SessionHandoff } from './handoff.ts';
import { oneOf } from './one-of.ts';
import { ref } from './ref.ts';
import { Review } from './review.ts';
import { Indicators, RiskEvaluation, SimulatedRisk } from './risk.ts';
import { RedirectUrl, SessionCallback, SessionLight, SessionLocale } from './session-fields.ts';
import { Warnings } from './warnings.ts';

/** Largest `metadata`, as the JSON text that was sent, in bytes. */
export const METADATA_MAX_BYTES = 16 * 1024;

/** `YYYY-MM`. */
const MONTH = '^[0-9]{4}-(0[1-9]|1[0-2])$';

const Age = (description: string) => Type.Integer({ minimum: 1, maximum: 120, description });
const ReturnFormat = (of: string) =>
  oneOf(['threshold', 'exact', 'both'], `What the result says about ${of}. Default: \`threshold\`.`);
const Metadata = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  description: `Your own data, at most ${METADATA_MAX_BYTES} bytes of JSON; returned in the result and the webhook as the exact text you sent.`,
});

export const CreateAgeSessionRequest = Type.Object(
  {
    redirectUrl: Type.Optional(
      RedirectUrl(
        'Address for the browser however the session ends, without a result: http, https or an app’s scheme.',
        'redirectURL',
      ),
    ),
    ageThreshold: Type.Optional(
      Age(
        'Whole years, compared with a careful lower bound of the estimate. Default: 18. Estimates err by years, and send on adult women more often than men: for "18 or older" set 25 and let a document decide about the rest, as docs/age.md explains.',
      ),
    ),
    locale: Type.Optional(SessionLocale('BCP 47, or `en_US`. Default: `en`.')),
    enableDesktop: Type.Optional(
      Type.Boolean({
        description: 'Whether a computer’s camera is accepted. Default: false; the page then offers a QR code.',
      }),
    ),
    enableDocumentFile: Type.Optional(
      Type.Boolean({
        description: 'Whether an image file of the document is accepted instead of the camera. Default: false.',
      }),
    ),
    requirements: Type.Optional(
      Type.Array(oneOf(['face', 'identity_document', 'wallet_proof']), {
        minItems: 1,
        maxItems: 3,
        uniqueItems: true,
        description:
          'Steps in order. Default: `["face"]`. Extension: `wallet_proof` asks for a wallet before the others, which are then for people who have none; by itself, people without a wallet can only give up.',
      }),
    ),
    acceptedProofs: Type.Optional(
      Type.Array(oneOf(PROOFS), {
        maxItems: PROOFS.length,
        uniqueItems: true,
        description:
          'Extension. What is taken instead of the steps: `age_key`, a passkey that remembers an earlier check, and `wallet`. Default: none.',
      }),
    ),
    ageKeyMaxDays: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: AGE_KEY_MAX_DAYS,
        description: `Extension. How many days ago an age key’s check may have been, counted from the first day of its month. Default: ${AGE_KEY_DEFAULT_DAYS}.`,
      }),
    ),
    ageKeyStrength: Type.Optional(
      oneOf(
        AGE_METHODS,
        'Extension. The weakest check that an age key may come from. Ascending: `face`, `document`, `document_and_face` (the live face matched the document), `wallet`. Default: `document_and_face` if `requirements` name both `face` and `identity_document`, and then nothing weaker is allowed; `document` if they name only `identity_document`, or no `face`, or `light` is `required`; else `face`.',
      ),
    ),
    ageKeyFrom: Type.Optional(
      oneOf(
        ['any'],
        'Extension. `any` also accepts age keys that sessions of other customers earned, if the operator allows it (`AGE_KEYS=all`); otherwise it has no effect. Default: only age keys that your own sessions earned.',
      ),
    ),
    documentAgeReturnFormat: Type.Optional(ReturnFormat('the document’s age')),
    facialAgeEstimationReturnFormat: Type.Optional(ReturnFormat('the face estimate')),
    faceMatchThreshold: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1,
        description: `Lowest score at which face and document count as the same person. Default: ${FACE_MATCH_THRESHOLD}.`,
      }),
    ),
    documentAgeThreshold: Type.Optional(Age('Whole years, for the document. Default: `ageThreshold`.')),
    stepUpEnabled: Type.Optional(
      Type.Boolean({
        description: 'Asks for a document if the face estimate is below the threshold. Default: false.',
      }),
    ),
    handoff: Type.Optional(SessionHandoff('allow')),
    light: Type.Optional(SessionLight('; with `stepUpEnabled`, they are also asked for a document')),
    callback: Type.Optional(SessionCallback),
    metadata: Type.Optional(Metadata),
  },
  {
    $id: 'CreateAgeSessionRequest',
    examples: [{ ageThreshold: 18, redirectUrl: 'https://shop.example/back', metadata: { order: 4711 } }],
  },
);
export type CreateAgeSessionRequest = Static<typeof CreateAgeSessionRequest>;

export const CreatedAgeSession = Type.Object(
  {
    token: Type.String({ format: 'uuid', description: 'The credential for the result; keep it on your server.' }),
    launchUrl: Type.String({ description: 'Where the person starts. Contains the session id, not the token.' }),
    expiresAt: Type.String({ format: 'date-time', description: 'ISO 8601, UTC.' }),
    warnings: Warnings,
  },
  { $id: 'CreatedAgeSession' },
);
export type CreatedAgeSession = Static<typeof CreatedAgeSession>;

const ThresholdResult = oneOf(THRESHOLD_RESULTS);

export const AgeSessionError = Type.Object(
  { code: Type.Integer(), message: Type.String() },
  { $id: 'AgeSessionError', description: 'Why there is no age, or what went wrong along the way.' },
);
export type AgeSessionError = Static<typeof AgeSessionError>;

export const AgeOutcome = Type.Object(
  {
    age: Type.Optional(
      Type.Number({
        description:
          'The face’s estimate, or the document’s age if the session has no face step. Only if the format for that step is `exact` or `both`.',
      }),
    ),
    confidenceScore: Type.Optional(Type.Number({ description: 'Score of the face against the document.' })),
    faceMatch: Type.Optional(Type.Boolean()),
    documentAge: Type.Optional(
      Type.Object({
        thresholdResult: ThresholdResult,
        exact: Type.Optional(Type.Number({ description: 'Only with the format `exact` or `both`.' })),
      }),
    ),
    document: Type.Optional(
      Type.Object(
        {
          type: oneOf(DOCUMENT_TYPES),
          country: Type.Optional(
            Type.String({
              pattern: DOCUMENT_COUNTRY,
              description: 'The issuer, ISO 3166-1 alpha-3. Absent if the issuer is not a country.',
            }),
          ),
          verifiedAt: Type.String({ format: 'date-time', description: 'When it was read, ISO 8601 in UTC.' }),
        },
        {
          description: 'Only when a document was read. The holder’s name and the document’s number are never included.',
        },
      ),
    ),
    walletProof: Type.Optional(
      Type.Object(
        {
          thresholdResult: ThresholdResult,
          profile: Type.String({ description: 'What kind of attestation it was.' }),
          issuerCountry: Type.Optional(
            Type.String({ pattern: '^[A-Z]{2}$', description: 'ISO 3166-1 alpha-2. Absent if the issuer names none.' }),
          ),
        },
        { description: 'Extension. Only when a wallet proved the age.' },
      ),
    ),
    ageKey: Type.Optional(
      Type.Object(
        {
          thresholdResult: ThresholdResult,
          method: oneOf(AGE_METHODS, 'What the earlier check looked at.'),
          verifiedAt: Type.String({ pattern: MONTH, description: 'Month of the earlier check, `YYYY-MM`.' }),
        },
        { description: 'Extension. Only when an age key proved the age.' },
      ),
    ),
    source: Type.Optional(
      oneOf(AGE_SOURCES, 'Extension. What the decision rests on. Only if the session accepts proofs.'),
    ),
    facialAgeEstimation: Type.Optional(
      Type.Object({
        thresholdResult: ThresholdResult,
        exact: Type.Optional(
          Type.Number({ description: 'The plain estimate. Only with the format `exact` or `both`.' }),
        ),
        lowerBound: Type.Optional(
          Type.Number({ description: 'What was compared with the threshold; comes with `exact`.' }),
        ),
      }),
    ),
  },
  { $id: 'AgeOutcome' },
);
export type AgeOutcome = Static<typeof AgeOutcome>;

const status = (description: string) => oneOf(['AGE_UNKNOWN', ...THRESHOLD_RESULTS], description);

export const AgeSessionResult = Type.Object(
  {
    token: Type.String(),
    sessionId: Type.String({ format: 'uuid' }),
    sessionStatus: status('`AGE_UNKNOWN` until the end, and if the session ends without a decision.'),
    status: status('The same as `sessionStatus`.'),
    flowStatus: Type.Optional(oneOf(['COMPLETED', 'CANCELLED', 'EXPIRED'], 'Absent until the session has ended.')),
    result: Type.Optional(
      ref(
        AgeOutcome,
        'What was found, as far as the formats allow; empty if nothing was. Absent until the session has ended.',
      ),
    ),
    thresholds: Type.Object({
      ageThreshold: Type.Number(),
      documentAgeThreshold: Type.Optional(
        Type.Number({
          description:
            'What a document is compared with, and a proof that is as good. Only if one is or may be asked for.',
        }),
      ),
      compareThreshold: Type.Number({
        description: 'Lowest score at which face and document count as the same person.',
      }),
      faceMatchThreshold: Type.Number({ description: 'The same as `compareThreshold`.' }),
    }),
    metadata: Metadata,
    indicators: Type.Optional(ref(Indicators, 'Only when there is browser data.')),
    riskEvaluation: Type.Optional(ref(RiskEvaluation, 'Absent until the session has ended.')),
    review: Type.Optional(ref(Review, 'Once it is decided; never in the webhook of the session’s end.')),
    errors: Type.Array(ref(AgeSessionError)),
  },
  { $id: 'AgeSessionResult', description: 'The result, and the body of the webhook.' },
);
export type AgeSessionResult = Static<typeof AgeSessionResult>;

const SIMULATED_OUTCOMES = [
  'above',
  'at',
  'below',
  'spoof',
  'face_mismatch',
  'document_failure',
  'camera_failure',
  'desktop',
  'cancelled',
  'expired',
] as const;

/** The codes that an end without a decision can have, in either kind of session. */
export const SIMULATED_REASONS = [
  ...[AGE_ERROR_CODES.desktopNotEnabled, AGE_ERROR_CODES.cameraFailure, AGE_ERROR_CODES.tooDark],
  ...[AGE_ERROR_CODES.severalFaces, AGE_ERROR_CODES.payloadReplayed, AGE_ERROR_CODES.modelLoadFailed],
  ...[AGE_ERROR_CODES.faceScanError, AGE_ERROR_CODES.documentScanError],
] as const;

export const SimulateAgeSessionRequest = Type.Object(
  {
    outcome: oneOf(SIMULATED_OUTCOMES, 'How the session ends.'),
    age: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 130,
        description:
          'Age that the face step finds; for the outcomes `above`, `at`, `below` and `face_mismatch`. An age at or above the threshold with `below` is a face whose lower bound alone is below.',
      }),
    ),
    documentAge: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 130,
        description: 'Age that the document step finds; for the same outcomes.',
      }),
    ),
    errorCode: Type.Optional(
      Type.Unsafe<(typeof SIMULATED_REASONS)[number]>({
        type: 'integer',
        enum: SIMULATED_REASONS,
        description:
          'Why the device gave up; for the outcome `cancelled`. -5 needs a session without `enableDesktop`, -11 and -22 need a face step, -23 a document step; -15 is a replayed answer.',
      }),
    ),
    proof: Type.Optional(
      oneOf(
        PROOFS,
        'Extension. The person proves their age with this instead of the steps; for the outcome `above`, in a session that accepts it.',
      ),
    ),
    ageKeyMethod: Type.Optional(
      oneOf(
        AGE_METHODS,
        'Extension. What the age key came from; with the proof `age_key`. Default: `document`, or `ageKeyStrength` if that is stronger.',
      ),
    ),
    ...SimulatedRisk,
  },
  { $id: 'SimulateAgeSessionRequest', examples: [{ outcome: 'above', age: 30 }] },
);
export type SimulateAgeSessionRequest = Static<typeof SimulateAgeSessionRequest>;
