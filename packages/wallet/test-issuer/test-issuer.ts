// A test issuer of one profile: a root to trust in tests, and a document signer.
import { webcrypto } from 'node:crypto';
import { PROFILES, type Profile, type ProfileId } from '../src/profiles/profiles.ts';
import { deriveAnswerKey } from '../src/requests/answer-key.ts';
import { readAnchor, type TrustAnchor } from '../src/trust/anchors.ts';
import { loadX509 } from '../src/trust/certificate.ts';
import { listExtensions, makeCertificate, rootExtensions, signerExtensions } from './make-certificates.ts';

export interface TestIssuer {
  profile: Profile;
  /** Anchor to trust, marked as a test. */
  anchor: TrustAnchor;
  /** Document signer first, without the root. */
  chain: readonly Uint8Array[];
  signingKey: webcrypto.CryptoKey;
  /** Key of the document signer's issuer. */
  authorityKey: webcrypto.CryptoKey;
}

export interface TestIssuerOptions {
  profile: ProfileId;
  now: Date;
  /** 32 bytes that determine the keys, for use in several processes. Default: random. */
  seed?: Uint8Array;
  /** URL of the revocation list in the document signer's certificate. */
  revocationLists?: readonly string[];
  /** UT, Utopia, which is no country's code. */
  country?: string;
}

const YEAR_MS = 365 * 86_400_000;
const KEY_ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' };

export async function createTestIssuer(options: TestIssuerOptions): Promise<TestIssuer> {
  const { now, country = 'UT', seed = webcrypto.getRandomValues(new Uint8Array(32)) } = options;
  const profile = PROFILES[options.profile];
  const x509 = await loadX509();
  const [root, signer] = await Promise.all([deriveSigningKeys(seed, 0), deriveSigningKeys(seed, 1)]);
  const rootName = `C=${country}, O=Limen, CN=Limen test issuer ${profile.id}`;
  // Ten years, so that it does not expire unnoticed. Starts before today, because clocks differ.
  const validity = { notBefore: new Date(now.getTime() - YEAR_MS), notAfter: new Date(now.getTime() + 9 * YEAR_MS) };
  const shared = { ...validity, issuerName: rootName, signingKey: root.privateKey };
  const rootDer = await makeCertificate({
    ...shared,
    name: rootName,
    publicKey: root.publicKey,
    extensions: rootExtensions(x509),
  });
  const signerDer = await makeCertificate({
    ...shared,
    name: `C=${country}, O=Limen, CN=Limen test document signer`,
    publicKey: signer.publicKey,
    extensions: [...signerExtensions(x509, profile), ...listExtensions(x509, options.revocationLists)],
  });
  return {
    profile,
    anchor: await readAnchor(rootDer, profile.id, true),
    chain: [signerDer],
    signingKey: signer.privateKey,
    authorityKey: root.privateKey,
  };
}

export async function deriveSigningKeys(seed: Uint8Array, number: number): Promise<webcrypto.CryptoKeyPair> {
  const derived = new Uint8Array(await webcrypto.subtle.digest('SHA-256', Uint8Array.of(...seed, number)));
  const { publicJwk, privateJwk } = await deriveAnswerKey(derived);
  const [publicKey, privateKey] = await Promise.all([
    webcrypto.subtle.importKey('jwk', publicJwk as webcrypto.JsonWebKey, KEY_ALGORITHM, true, ['verify']),
    webcrypto.subtle.importKey('jwk', privateJwk as webcrypto.JsonWebKey, KEY_ALGORITHM, true, ['sign']),
  ]);
  return { publicKey, privateKey };
}
