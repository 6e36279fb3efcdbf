// Verifies a document in the order of ISO/IEC 18013-5:2021, 9.3.1, followed by the device's proof
// and the value.
import type { JWK } from 'jose';
import { readCertificateChain, takesAlgorithm, verifySign1 } from '../cose/message.ts';
import type { Profile } from '../profiles/profiles.ts';
import { refuse } from '../refusals.ts';
import type { RevocationReference } from '../revocation/verify-revocation.ts';
import type { Transcript } from '../transcripts/transcripts.ts';
import type { TrustAnchor } from '../trust/anchors.ts';
import { SKEW_MS } from '../trust/certificate.ts';
import { type TrustedIssuer, trustSigner } from '../trust/trust-signer.ts';
import { checkDeviceAuth } from './device-auth.ts';
import { type DisclosedDocument, readDeviceResponse } from './device-response.ts';
import { countDeviceElements, findElement } from './disclosed-element.ts';
import { type MobileSecurityObject, readSecurityObject, type StatusReference } from './mobile-security-object.ts';

export interface DocumentChecks {
  profile: Profile;
  ageOver: number;
  transcript: Transcript;
  answerKey: JWK | null;
  anchors: readonly TrustAnchor[];
  now: Date;
}

export interface VerifiedDocument {
  issuerCountry: string | null;
  isTestIssuer: boolean;
  status: StatusReference | null;
  revocation: readonly RevocationReference[];
  extraElements: number;
}

const DAY_MS = 86_400_000;

export async function verifyDocument(response: Uint8Array, checks: DocumentChecks): Promise<VerifiedDocument> {
  const { profile, ageOver, transcript, answerKey, now } = checks;
  const document = readDeviceResponse(response, profile);
  const { signer, object } = await checkIssuer(document, checks);
  const element = findElement(document.items, profile, ageOver, object);
  if (object.docType !== document.docType) refuse('doctype_mismatch');
  checkValidity(object, signer, profile, now);
  checkDeviceAuth(document, object.deviceKey, transcript, profile, answerKey);
  if (element.value !== true) refuse('element_not_true');
  return {
    issuerCountry: signer.certificate.country,
    isTestIssuer: signer.anchor.isTest,
    status: object.status,
    revocation: signer.revocation,
    extraElements: element.extraElements + countDeviceElements(document.deviceNamespaces),
  };
}

async function checkIssuer(
  { issuerAuth }: DisclosedDocument,
  checks: DocumentChecks,
): Promise<{ signer: TrustedIssuer; object: MobileSecurityObject }> {
  const { profile } = checks;
  const chain = readCertificateChain(issuerAuth) ?? refuse('certificate_missing');
  const signer = await trustSigner(chain, checks);
  const key = signer.certificate.publicKey;
  const payload = issuerAuth.payload ?? refuse('issuer_auth_malformed');
  if (!takesAlgorithm(issuerAuth, key, profile)) refuse('issuer_algorithm');
  if (!verifySign1(issuerAuth, payload, key, profile)) refuse('issuer_signature');
  return { signer, object: readSecurityObject(payload, profile) };
}

function checkValidity(
  { signed, validFrom, validUntil }: MobileSecurityObject,
  { certificate }: TrustedIssuer,
  { maxValidityDays }: Profile,
  now: Date,
): void {
  if (signed < certificate.notBefore || signed > certificate.notAfter) refuse('signed_outside_certificate');
  if (validFrom < signed) refuse('valid_before_signed');
  // Not before it was signed.
  if (validFrom.getTime() > now.getTime() + SKEW_MS) refuse('not_yet_valid');
  if (now > validUntil) refuse('expired');
  const days = (validUntil.getTime() - validFrom.getTime()) / DAY_MS;
  if (maxValidityDays !== null && days > maxValidityDays) refuse('validity_too_long');
}
