// What an age session keeps of its creation: the request with its defaults filled in, or a refusal.
import { type CreateAgeSessionRequest, METADATA_MAX_BYTES, REQUESTER_MAX_LENGTH } from '@limen/contract';
import { checkCallback } from '../../core/webhooks/check-callback.ts';
import { invalid } from '../../platform/errors.ts';
import { readRedirectUrl } from './redirect-url.ts';
import type { AgeSettings } from './rules.ts';

const DEFAULT_AGE_THRESHOLD = 18;
const DEFAULT_FACE_MATCH_THRESHOLD = 0.42;
const DEFAULT_LOCALE = 'en';

export interface Callback {
  url: string;
  headers: Record<string, string>;
}

export interface AgeSessionContents {
  settings: AgeSettings;
  locale: string;
  enableDesktop: boolean;
  /** Whether a document may come as a picture file. Sessions of before this was kept have none. */
  enableDocumentFile?: boolean;
  redirectUrl: string | undefined;
  callback: Callback | undefined;
  metadata: Record<string, unknown>;
  /** Whether it was made with a test or development key: a live session's result cannot be made up. */
  simulable: boolean;
  /** Who asks, for the person to read. Sessions of before this was kept have none. */
  requester?: string | null;
}

/** Refuses what the schema cannot. `label` is that of the API key. */
export function readContents(
  body: CreateAgeSessionRequest,
  simulable: boolean,
  label: string | null = null,
): AgeSessionContents {
  const ageThreshold = body.ageThreshold ?? DEFAULT_AGE_THRESHOLD;
  const { callback, metadata = {} } = body;
  if (callback) checkCallback(callback.url, callback.headers);
  if (Buffer.byteLength(JSON.stringify(metadata)) > METADATA_MAX_BYTES) {
    throw invalid('body.metadata', `must have at most ${METADATA_MAX_BYTES} bytes as JSON`);
  }
  return {
    settings: {
      requirements: body.requirements ?? ['face'],
      ageThreshold,
      documentAgeThreshold: body.documentAgeThreshold ?? ageThreshold,
      faceMatchThreshold: body.faceMatchThreshold ?? DEFAULT_FACE_MATCH_THRESHOLD,
      stepUpEnabled: body.stepUpEnabled ?? false,
      facialAgeEstimationReturnFormat: body.facialAgeEstimationReturnFormat ?? 'threshold',
      documentAgeReturnFormat: body.documentAgeReturnFormat ?? 'threshold',
    },
    locale: readLocale(body.locale ?? DEFAULT_LOCALE),
    enableDesktop: body.enableDesktop ?? false,
    enableDocumentFile: body.enableDocumentFile ?? false,
    redirectUrl: body.redirectUrl === undefined ? undefined : requireRedirectUrl(body.redirectUrl),
    callback: callback && { url: callback.url, headers: callback.headers ?? {} },
    metadata,
    simulable,
    requester: readRequester(label),
  };
}

/**
 * The operator's own words, on one line and no longer than a page can show. Marks that turn the direction of writing
 * would turn that of the words around them too.
 */
function readRequester(label: string | null): string | null {
  const line = (label ?? '')
    .replace(/\p{Bidi_Control}+/gu, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return [...line].slice(0, REQUESTER_MAX_LENGTH).join('').trim() || null;
}

function requireRedirectUrl(text: string): string {
  const url = readRedirectUrl(text);
  if (url === undefined) {
    throw invalid('body.redirectUrl', 'must be an absolute http or https address, or one with the scheme of an app');
  }
  return url;
}

/** In its canonical form; `en_US` is how many platforms write it. */
function readLocale(text: string): string {
  try {
    return new Intl.Locale(text.replaceAll('_', '-')).toString();
  } catch {
    throw invalid('body.locale', 'must be a language tag such as en, de-AT or pt_BR');
  }
}
