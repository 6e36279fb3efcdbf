// Area C: age verification sessions, their results, and the test mode.
import {
  AGE_ERROR_CODES,
  DOCUMENT_COUNTRY,
  DOCUMENT_TYPES,
  FACE_MATCH_THRESHOLD,
  THRESHOLD_RESULTS,
} from '@limen/plan';
import { type Static, Type } from 'typebox';
import { SessionHandoff } from './handoff.ts';
import { oneOf } from './one-of.ts';
import { ref } from './ref.ts';
import { Indicators, RiskEvaluation, SimulatedRisk } from './risk.ts';
import { SessionCallback, SessionLocale, SessionUrl } from './session-fields.ts';

/** Largest `metadata`, as the JSON text that was sent, in bytes. */
export const METADATA_MAX_BYTES = 16 * 1024;

const Age = (description: string) => Type.Integer({ minimum: 1, maximum: 120, description });
const ReturnFormat = (of: string) =>
  oneOf(['threshold', 'exact', 'both'], `What the result says of ${of}. Default: \`threshold\`.`);
const Metadata = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  description: `Free-form, at most ${METADATA_MAX_BYTES} bytes of JSON; comes back in the result and the webhook as the text that it was.`,
});

export const CreateAgeSessionRequest = Type.Object(
  {
    redirectUrl: Type.Optional(
      SessionUrl('Where the browser is sent at every end, without a result: http, https or the scheme of an app.'),
    ),
    ageThreshold: Type.Optional(Age('Whole years. Default: 18.')),
    locale: Type.Optional(SessionLocale('BCP 47, or `en_US`. Default: `en`.')),
    enableDesktop: Type.Optional(
      Type.Boolean({
        description: 'Whether a computer’s camera will do. Default: false; the page then offers a QR code.',
      }),
    ),
    enableDocumentFile: Type.Optional(
      Type.Boolean({
        description: 'Whether a picture file of the document will do instead of the camera. Default: false.',
      }),
    ),
    requirements: Type.Optional(
      Type.Array(oneOf(['face', 'identity_document']), {
        minItems: 1,
        uniqueItems: true,
        description: 'Steps in order. Default: `["face"]`.',
      }),
    ),
    documentAgeReturnFormat: Type.Optional(ReturnFormat('the document’s age')),
    facialAgeEstimationReturnFormat: Type.Optional(ReturnFormat('the face estimate')),
    faceMatchThreshold: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1,
        description: `Least score of face against document. Default: ${FACE_MATCH_THRESHOLD}.`,
      }),
    ),
    documentAgeThreshold: Type.Optional(Age('Whole years, for the document. Default: `ageThreshold`.')),
    stepUpEnabled: Type.Optional(
      Type.Boolean({
        description: 'Asks for the document when the face estimate is below the threshold. Default: false.',
      }),
    ),
    handoff: Type.Optional(SessionHandoff('allow')),
    callback: Type.Optional(SessionCallback),
    metadata: Type.Optional(Metadata),
  },
  { $id: 'CreateAgeSessionRequest' },
);
export type CreateAgeSessionRequest = Static<typeof CreateAgeSessionRequest>;

export const CreatedAgeSession = Type.Object(
  {
    token: Type.String({ format: 'uuid', description: 'The credential for the result; keep it on your server.' }),
    launchUrl: Type.String({ description: 'Where the person starts. Carries the session id and not the token.' }),
    expiresAt: Type.String({ format: 'date-time', description: 'ISO 8601, UTC.' }),
  },
  { $id: 'CreatedAgeSession' },
);
export type CreatedAgeSession = Static<typeof CreatedAgeSession>;

const ThresholdResult = oneOf(THRESHOLD_RESULTS);

export const AgeSessionError = Type.Object(
  { code: Type.Integer(), message: Type.String() },
  { $id: 'AgeSessionError', description: 'Why there is no age, or what went wrong on the way.' },
);
export type AgeSessionError = Static<typeof AgeSessionError>;

export const AgeOutcome = Type.Object(
  {
    age: Type.Optional(
      Type.Number({
        description:
          'The face’s estimate; the document’s age only where the session has no face step. Only when the format of that one is `exact` or `both`.',
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
              description: 'Who issued it, ISO 3166-1 alpha-3. Absent for an issuer that is no country.',
            }),
          ),
          verifiedAt: Type.String({ format: 'date-time', description: 'When it was read, ISO 8601 in UTC.' }),
        },
        { description: 'Only when a document was read; whose it is and its number are never told.' },
      ),
    ),
    facialAgeEstimation: Type.Optional(
      Type.Object({
        thresholdResult: ThresholdResult,
        exact: Type.Optional(
          Type.Number({ description: 'The unbiased estimate. Only with the format `exact` or `both`.' }),
        ),
        lowerBound: Type.Optional(
          Type.Number({ description: 'What was compared with the threshold; beside `exact`.' }),
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
    sessionStatus: status('`AGE_UNKNOWN` until the end, and at every end without a decision.'),
    status: status('The same again.'),
    flowStatus: Type.Optional(oneOf(['COMPLETED', 'CANCELLED', 'EXPIRED'], 'Absent until the session has ended.')),
    result: Type.Optional(
      ref(
        AgeOutcome,
        'What was found out, as the formats allow; empty for nothing. Absent until the session has ended.',
      ),
    ),
    thresholds: Type.Object({
      ageThreshold: Type.Number(),
      documentAgeThreshold: Type.Optional(
        Type.Number({ description: 'What a document is compared with. Only where one is or may be asked for.' }),
      ),
      compareThreshold: Type.Number({ description: 'Least score of face against document.' }),
      faceMatchThreshold: Type.Number({ description: 'The same again.' }),
    }),
    metadata: Metadata,
    indicators: Type.Optional(ref(Indicators, 'Only when there is browser data.')),
    riskEvaluation: Type.Optional(ref(RiskEvaluation, 'Absent until the session has ended.')),
    errors: Type.Array(ref(AgeSessionError)),
  },
  { $id: 'AgeSessionResult', description: 'The reply of the result endpoint and the body of the webhook.' },
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

/** What an end without a decision can be told with, in areas C and D. */
export const SIMULATED_REASONS = [
  ...[AGE_ERROR_CODES.desktopNotEnabled, AGE_ERROR_CODES.cameraFailure, AGE_ERROR_CODES.tooDark],
  ...[AGE_ERROR_CODES.severalFaces, AGE_ERROR_CODES.payloadReplayed, AGE_ERROR_CODES.modelLoadFailed],
  ...[AGE_ERROR_CODES.faceScanError, AGE_ERROR_CODES.documentScanError],
] as const;

export const SimulateAgeSessionRequest = Type.Object(
  {
    outcome: oneOf(SIMULATED_OUTCOMES, 'How the session shall end.'),
    age: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 130,
        description:
          'Age that the face step finds, with the outcomes `above`, `at`, `below` and `face_mismatch`. One at or above the threshold beside `below` is a face of which only the lower bound is below.',
      }),
    ),
    documentAge: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 130,
        description: 'Age that the document step finds, with the same outcomes.',
      }),
    ),
    errorCode: Type.Optional(
      Type.Unsafe<(typeof SIMULATED_REASONS)[number]>({
        type: 'integer',
        enum: SIMULATED_REASONS,
        description:
          'Why the device gave up, beside `cancelled`, of what the session can come to: -5 needs a session without `enableDesktop`, -11 and -22 one with a face, -23 one with a document; -15 is an answer that was replayed.',
      }),
    ),
    ...SimulatedRisk,
  },
  { $id: 'SimulateAgeSessionRequest' },
);
export type SimulateAgeSessionRequest = Static<typeof SimulateAgeSessionRequest>;
