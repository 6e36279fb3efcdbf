// Options of a check, and the resulting request with only the values that differ from the service's
// defaults.
import type { CreateAgeSessionRequest } from '@limen/sdk';
import {
  buildVerificationRequest,
  type Purpose,
  VERIFICATION_DEFAULTS,
  type VerificationOptions,
} from './verification-options.ts';

/** `both`: the face first; `turned`: the document first. */
export type Steps = 'face' | 'identity_document' | 'both' | 'turned';
export type Format = 'threshold' | 'exact' | 'both';
/** `service`: omitted, so that the service decides. */
export type Light = 'service' | NonNullable<CreateAgeSessionRequest['light']>;

export interface Options extends VerificationOptions {
  purpose: Purpose;
  steps: Steps;
  ageThreshold: number;
  /** Null: equal to the face's. */
  documentAgeThreshold: number | null;
  faceFormat: Format;
  documentFormat: Format;
  stepUp: boolean;
  /** Whether an image file of the document is accepted. */
  documentFile: boolean;
  /** Whether an age key, and a wallet, are accepted in place of the steps. */
  ageKey: boolean;
  wallet: boolean;
  light: Light;
  locale: string;
  desktop: boolean;
  redirect: boolean;
  /** JSON text as typed. */
  metadata: string;
}

export const DEFAULT_OPTIONS: Options = {
  ...VERIFICATION_DEFAULTS,
  purpose: 'AGE',
  steps: 'face',
  ageThreshold: 18,
  documentAgeThreshold: null,
  faceFormat: 'threshold',
  documentFormat: 'threshold',
  stepUp: false,
  documentFile: false,
  ageKey: false,
  wallet: false,
  light: 'service',
  locale: 'en',
  desktop: true,
  redirect: true,
  metadata: '{ "order": 4711 }',
};

export interface Preset {
  name: string;
  about: string;
  choice: Partial<Options>;
}

/** Presets reset omitted options, except language, devices and metadata. */
const CHECK_DEFAULTS: Partial<Options> = {
  steps: 'face',
  ageThreshold: 18,
  documentAgeThreshold: null,
  faceFormat: 'threshold',
  documentFormat: 'threshold',
  stepUp: false,
  documentFile: false,
  ageKey: false,
  wallet: false,
  light: 'service',
};

export const PRESETS: readonly Preset[] = [
  { name: 'Over 18', about: 'One look at the face, yes or no: quick, but no proof', choice: {} },
  {
    name: 'Challenge 25',
    about:
      'People who do not clearly look 25, including many adults, prove that they are 18 by wallet, age key or document',
    choice: { ageThreshold: 25, documentAgeThreshold: 18, stepUp: true, ageKey: true, wallet: true },
  },
  {
    name: 'Face and document',
    about: 'Both, and they must be the same person',
    choice: { steps: 'both', documentFormat: 'both' },
  },
  {
    name: 'Document only',
    about: 'The age on a document, without checking who holds it',
    choice: { steps: 'identity_document', documentFormat: 'both' },
  },
  {
    name: 'Wallet or age key',
    about: 'Existing proofs come first; the camera is for people without one',
    choice: { ageKey: true, wallet: true },
  },
];

const REQUIREMENTS: Readonly<Record<Steps, readonly ('face' | 'identity_document')[]>> = {
  face: ['face'],
  identity_document: ['identity_document'],
  both: ['face', 'identity_document'],
  turned: ['identity_document', 'face'],
};

export function applyPreset(options: Options, { choice }: Preset): Options {
  return { ...options, ...CHECK_DEFAULTS, ...choice };
}

export function isChosen(options: Options, preset: Preset): boolean {
  const wanted = applyPreset(options, preset);
  return (Object.keys(wanted) as (keyof Options)[]).every((name) => wanted[name] === options[name]);
}

export const asksForDocument = ({ steps, stepUp }: Options): boolean => steps !== 'face' || stepUp;
export const asksForFace = ({ steps }: Options): boolean => steps !== 'identity_document';

/** Returns a sentence about a problem with the metadata, or undefined. */
export function metadataProblem(text: string): string | undefined {
  return readMetadata(text) === undefined ? 'This must be a JSON object, such as { "order": 4711 }.' : undefined;
}

/**
 * Returns the text to send as typed, because parsing would round its numbers. Undefined if empty.
 */
export function metadataText({ purpose, metadata }: Options): string | undefined {
  const isSent = purpose === 'AGE' && Object.keys(readMetadata(metadata) ?? {}).length > 0;
  return isSent ? metadata.trim() : undefined;
}

function readMetadata(text: string): object | undefined {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

type AgeRequest = Omit<CreateAgeSessionRequest, 'callback' | 'redirectUrl' | 'metadata'>;

/** Everything except the metadata, which is a separate text. */
export function buildRequest(options: Options): AgeRequest | ReturnType<typeof buildVerificationRequest> {
  const { purpose } = options;
  if (purpose === 'AGE') return buildAgeRequest(options);
  return { ...buildVerificationRequest(purpose, options), ...lightOf(options) };
}

function lightOf({ light }: Options): Pick<CreateAgeSessionRequest, 'light'> {
  return light === 'service' ? {} : { light };
}

function buildAgeRequest(options: Options): AgeRequest {
  const { steps, ageThreshold, documentAgeThreshold, faceFormat, documentFormat } = options;
  const { stepUp, documentFile, locale, desktop } = options;
  const document = asksForDocument(options);
  const acceptedProofs = [
    ...(options.ageKey ? (['age_key'] as const) : []),
    ...(options.wallet ? (['wallet'] as const) : []),
  ];
  return {
    ...(steps !== 'face' && { requirements: [...REQUIREMENTS[steps]] }),
    ageThreshold,
    ...(document && documentAgeThreshold !== null && { documentAgeThreshold }),
    ...(steps === 'face' && stepUp && { stepUpEnabled: true }),
    ...(asksForFace(options) && faceFormat !== 'threshold' && { facialAgeEstimationReturnFormat: faceFormat }),
    ...(document && documentFormat !== 'threshold' && { documentAgeReturnFormat: documentFormat }),
    ...(document && documentFile && { enableDocumentFile: true }),
    ...(acceptedProofs.length > 0 && { acceptedProofs }),
    ...(asksForFace(options) && lightOf(options)),
    ...(locale !== 'en' && { locale }),
    ...(desktop && { enableDesktop: true }),
  };
}
