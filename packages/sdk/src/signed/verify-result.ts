// Verifies a signed result, for hosts and for third parties to which they show it.
import type {
  AgeSessionResult,
  SignedClaims,
  SignedType,
  SubjectEvidence,
  VerificationSessionResult,
} from '@limen/contract';
import { findMemberText } from '../text/member-text.ts';
import { type VerifySignedOptions, verifyToken } from './verify-token.ts';

/** A result without its token, which is a credential and not part of the signed content. */
export type SignedAgeResult = Omit<AgeSessionResult, 'token'>;
/** Evidence without the alert endpoint. */
export type SignedEvidence = Omit<SubjectEvidence, 'subject'> & {
  subject: Omit<SubjectEvidence['subject'], 'callback'>;
};

interface Genuine {
  world: SignedClaims['world'];
  issuedAt: Date;
  expiresAt: Date;
}

/**
 * Content of a genuine token. `kind` determines the type of `result`. The signature was verified,
 * but the fields were not validated.
 */
export type VerifiedResult = Genuine &
  (
    | {
        kind: 'age_session';
        result: SignedAgeResult;
        /** Original text of `metadata`, in which parsing rounds integers beyond 2^53. */
        metadataText: string;
      }
    | { kind: 'verification_session'; result: VerificationSessionResult }
    | { kind: 'screening_evidence'; result: SignedEvidence }
  );

const KINDS = {
  'limen-age-result+jwt': 'age_session',
  'limen-verification-result+jwt': 'verification_session',
  'limen-screening-evidence+jwt': 'screening_evidence',
} as const satisfies Partial<Record<SignedType, VerifiedResult['kind']>>;

/**
 * Resolves with the result. Rejects with a `SignedError` if the token is not genuine, has expired,
 * is for another customer, or is from the test world. Compare `result` with your expectations: a
 * genuine result of another session is genuine too.
 */
export async function verifyResult(jwt: string, options: VerifySignedOptions): Promise<VerifiedResult> {
  const types = Object.keys(KINDS) as (keyof typeof KINDS)[];
  const { type, claims, text } = await verifyToken(jwt, types, options);
  const { iss: _, aud: __, iat, exp, world, ...result } = claims;
  const kind = KINDS[type as keyof typeof KINDS];
  return {
    kind,
    result,
    ...(kind === 'age_session' && { metadataText: findMemberText(text, 'metadata') ?? '{}' }),
    world,
    issuedAt: new Date(iat * 1000),
    expiresAt: new Date(exp * 1000),
    // The type is the service's promise, as documented above.
  } as unknown as VerifiedResult;
}
