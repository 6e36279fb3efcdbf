// Age sessions: creation, results and test mode.
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
import { RedirectUrl, SessionCallback, SessionErrorCode, SessionLight, SessionLocale } from './session-fields.ts';
import { Warnings } from './warnings.ts';
import { AGE_SESSION_SAMPLE } from './webhook-samples.ts';

/** Maximum size of `metadata`, measured on the JSON text as sent. */
export const METADATA_MAX_BYTES = 16 * 1024;

const MONTH = '^[0-9]{4}-(0[1-9]|1[0-2])$';

const Age = (description: string) => Type.Integer({ minimum: 1, maximum: 120, description });
const ReturnFormat = (of: string) =>
  oneOf(
    ['threshold', 'exact', 'both'],
    `Whether the result contains the threshold comparison, the exact age, or both, for ${of}. Default: \`threshold\`.`,
  );
const Metadata = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  description: `Your own data, up to ${METADATA_MAX_BYTES} bytes of JSON. Returned unchanged in the result and the webhook.`,
});

export const CreateAgeSessionRequest = Type.Object(
  {
    redirectUrl: Type.Optional(
      RedirectUrl(
        'URL to which the browser is redirected when the session ends, with any outcome. Carries no result. http, https or an app’s scheme.',
        'redirectURL',
      ),
    ),
    ageThreshold: Type.Optional(
      Age(
        'Minimum age in whole years. Compared with a conservative lower bound of the estimate. Default: 18. Estimates are off by years, and adult women are sent on more often than men. To check "18 or older", set 25 and let a document decide the rest (docs/ages.md).',
      ),
    ),
    locale: Type.Optional(SessionLocale('BCP 47 language tag, or a form such as `en_US`. Default: `en`.')),
    enableDesktop: Type.Optional(
      Type.Boolean({
        description:
          'Whether a computer’s camera is accepted. Default: false. The page then shows a QR code for a phone.',
      }),
    ),
    enableDocumentFile: Type.Optional(
      Type.Boolean({
        description: 'Whether the document may be an image file instead of a camera capture. Default: false.',
      }),
    ),
    requirements: Type.Optional(
      Type.Array(oneOf(['face', 'identity_document', 'wallet_proof']), {
        minItems: 1,
        maxItems: 3,
        uniqueItems: true,
        description:
          'Steps in order. Default: `["face"]`. Extension: `wallet_proof` asks for a wallet first; people without a wallet continue with the other steps. If it is the only step, people without a wallet can only cancel.',
      }),
    ),
    acceptedProofs: Type.Optional(
      Type.Array(oneOf(PROOFS), {
        maxItems: PROOFS.length,
        uniqueItems: true,
        description:
          'Extension. Proofs accepted in place of the steps: `age_key`, a passkey that records an earlier check, and `wallet`. Default: none.',
      }),
    ),
    ageKeyMaxDays: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: AGE_KEY_MAX_DAYS,
        description: `Extension. Maximum age of an age key’s check in days, counted from the first day of its month. Default: ${AGE_KEY_DEFAULT_DAYS}.`,
      }),
    ),
    ageKeyStrength: Type.Optional(
      oneOf(
        AGE_METHODS,
        'Extension. Weakest check that an age key may come from. In ascending order: `face`, `document`, `document_and_face` (the live face matched the document), `wallet`. Default: `document_and_face` if `requirements` contains both `face` and `identity_document`, in which case nothing weaker is allowed. `document` if it contains only `identity_document` or no `face`, or if `light` is `required`. Otherwise `face`.',
      ),
    ),
    ageKeyFrom: Type.Optional(
      oneOf(
        ['any'],
        'Extension. `any` also accepts age keys that were created in other customers’ sessions, if the operator allows it (`AGE_KEYS=all`); otherwise it has no effect. Default: only age keys created in your own sessions.',
      ),
    ),
    documentAgeReturnFormat: Type.Optional(ReturnFormat('the document’s age')),
    facialAgeEstimationReturnFormat: Type.Optional(ReturnFormat('the face estimate')),
    faceMatchThreshold: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1,
        description: `Minimum score at which face and document count as the same person. Default: ${FACE_MATCH_THRESHOLD}.`,
      }),
    ),
    documentAgeThreshold: Type.Optional(Age('Minimum age in whole years for the document. Default: `ageThreshold`.')),
    stepUpEnabled: Type.Optional(
      Type.Boolean({
        description: 'Whether to ask for a document if the face estimate is below the threshold. Default: false.',
      }),
    ),
    handoff: Type.Optional(SessionHandoff('allow')),
    light: Type.Optional(SessionLight('; with `stepUpEnabled`, the person is also asked for a document')),
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
    token: Type.String({ format: 'uuid', description: 'Credential for reading the result. Keep it on your server.' }),
    launchUrl: Type.String({ description: 'URL of the launch page. Contains the session id, not the token.' }),
    expiresAt: Type.String({ format: 'date-time', description: 'When the session expires. ISO 8601, UTC.' }),
    warnings: Warnings,
  },
  { $id: 'CreatedAgeSession' },
);
export type CreatedAgeSession = Static<typeof CreatedAgeSession>;

const ThresholdResult = oneOf(THRESHOLD_RESULTS);

export const AgeSessionError = Type.Object(
  { code: SessionErrorCode(AGE_ERROR_CODES), message: Type.String() },
  { $id: 'AgeSessionError', description: 'Reason why there is no age, or a problem that occurred during the session.' },
);
export type AgeSessionError = Static<typeof AgeSessionError>;

export const AgeOutcome = Type.Object(
  {
    age: Type.Optional(
      Type.Number({
        description:
          'Face estimate, or the document’s age if the session has no face step. Present only if the return format of that step is `exact` or `both`.',
      }),
    ),
    confidenceScore: Type.Optional(Type.Number({ description: 'Match score of the face and the document’s photo.' })),
    faceMatch: Type.Optional(Type.Boolean()),
    documentAge: Type.Optional(
      Type.Object({
        thresholdResult: ThresholdResult,
        exact: Type.Optional(
          Type.Number({ description: 'Age on the document. Present only with the format `exact` or `both`.' }),
        ),
      }),
    ),
    document: Type.Optional(
      Type.Object(
        {
          type: oneOf(DOCUMENT_TYPES),
          country: Type.Optional(
            Type.String({
              pattern: DOCUMENT_COUNTRY,
              description: 'Issuing country, ISO 3166-1 alpha-3. Absent if the issuer is not a country.',
            }),
          ),
          verifiedAt: Type.String({ format: 'date-time', description: 'When the document was read. ISO 8601, UTC.' }),
        },
        {
          description: 'Present only if a document was read. Never includes the holder’s name or the document number.',
        },
      ),
    ),
    walletProof: Type.Optional(
      Type.Object(
        {
          thresholdResult: ThresholdResult,
          profile: Type.String({ description: 'Kind of attestation.' }),
          issuerCountry: Type.Optional(
            Type.String({
              pattern: '^[A-Z]{2}$',
              description: 'Issuing country, ISO 3166-1 alpha-2. Absent if the issuer does not specify one.',
            }),
          ),
        },
        { description: 'Extension. Present only if a wallet proved the age.' },
      ),
    ),
    ageKey: Type.Optional(
      Type.Object(
        {
          thresholdResult: ThresholdResult,
          method: oneOf(AGE_METHODS, 'Method of the earlier check.'),
          verifiedAt: Type.String({ pattern: MONTH, description: 'Month of the earlier check, `YYYY-MM`.' }),
        },
        { description: 'Extension. Present only if an age key proved the age.' },
      ),
    ),
    source: Type.Optional(
      oneOf(
        AGE_SOURCES,
        'Extension. Evidence on which the decision is based. Present only if the session accepts proofs.',
      ),
    ),
    facialAgeEstimation: Type.Optional(
      Type.Object({
        thresholdResult: ThresholdResult,
        exact: Type.Optional(
          Type.Number({ description: 'Age estimate. Present only with the format `exact` or `both`.' }),
        ),
        lowerBound: Type.Optional(
          Type.Number({
            description: 'Lower bound that was compared with the threshold. Present together with `exact`.',
          }),
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
    sessionStatus: status('`AGE_UNKNOWN` until the session ends, and if it ends without a decision.'),
    status: status('Same value as `sessionStatus`.'),
    flowStatus: Type.Optional(oneOf(['COMPLETED', 'CANCELLED', 'EXPIRED'], 'Absent until the session has ended.')),
    result: Type.Optional(
      ref(
        AgeOutcome,
        'Findings, as far as the return formats allow. Empty if there are none. Absent until the session has ended.',
      ),
    ),
    thresholds: Type.Object({
      ageThreshold: Type.Number(),
      documentAgeThreshold: Type.Optional(
        Type.Number({
          description: 'Threshold for documents and equivalent proofs. Present only if the session may ask for one.',
        }),
      ),
      compareThreshold: Type.Number({
        description: 'Minimum score at which face and document count as the same person.',
      }),
      faceMatchThreshold: Type.Number({ description: 'Same value as `compareThreshold`.' }),
    }),
    metadata: Metadata,
    indicators: Type.Optional(ref(Indicators, 'Present only if browser data was received.')),
    riskEvaluation: Type.Optional(ref(RiskEvaluation, 'Absent until the session has ended.')),
    review: Type.Optional(
      ref(Review, 'Present once a reviewer has decided. Never included in the webhook for the session’s end.'),
    ),
    errors: Type.Array(ref(AgeSessionError)),
  },
  {
    $id: 'AgeSessionResult',
    description: 'Result of an age session. Also the body of the webhook.',
    examples: [AGE_SESSION_SAMPLE],
  },
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

/** Codes with which a session of either kind can end without a decision. */
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
          'Age found by the face step. For the outcomes `above`, `at`, `below` and `face_mismatch`. With `below`, an age at or above the threshold simulates a face of which only the lower bound is below.',
      }),
    ),
    documentAge: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 130,
        description: 'Age found by the document step. For the outcomes `above`, `at`, `below` and `face_mismatch`.',
      }),
    ),
    errorCode: Type.Optional(
      Type.Unsafe<(typeof SIMULATED_REASONS)[number]>({
        type: 'integer',
        enum: SIMULATED_REASONS,
        description:
          'Reason why the device gave up. For the outcome `cancelled`. -5 requires a session without `enableDesktop`, -11 and -22 require a face step, -23 a document step. -15 is a replayed answer.',
      }),
    ),
    proof: Type.Optional(
      oneOf(
        PROOFS,
        'Extension. Proof that the person uses in place of the steps. For the outcome `above`, in a session that accepts the proof.',
      ),
    ),
    ageKeyMethod: Type.Optional(
      oneOf(
        AGE_METHODS,
        'Extension. Method of the check behind the age key. Requires the proof `age_key`. Default: `document`, or `ageKeyStrength` if that is stronger.',
      ),
    ),
    ...SimulatedRisk,
  },
  { $id: 'SimulateAgeSessionRequest', examples: [{ outcome: 'above', age: 30 }] },
);
export type SimulateAgeSessionRequest = Static<typeof SimulateAgeSessionRequest>;
