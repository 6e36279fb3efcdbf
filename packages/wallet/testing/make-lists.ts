// Creates signed lists of authorities: VICALs, and trusted lists signed by another XML signature
// implementation.
import { createSign, KeyObject, webcrypto } from 'node:crypto';
import { SignedXml } from 'xml-crypto';
import { encodeCbor, encodeDate } from '../src/cbor/codec.ts';
import { loadX509 } from '../src/trust/certificate.ts';
import { makeCertificate, rootExtensions } from '../test-issuer/make-certificates.ts';
import { signCose } from '../test-issuer/sign-cose.ts';
import { deriveSigningKeys } from '../test-issuer/test-issuer.ts';

export interface ListProvider {
  /** PEM of its authority, which verifies VICALs. */
  root: string;
  /** Certificate under it that signs lists. */
  signer: Uint8Array;
  /** PEM of that certificate, which verifies trusted lists. */
  signerPem: string;
  signingKey: webcrypto.CryptoKey;
}

export interface ListDates {
  issuedAt: Date;
  nextUpdate: Date | null;
}

export interface ListedService {
  certificate: Uint8Array;
  type?: string;
  status?: string;
  since?: Date;
}

export interface SignedListOptions {
  /** `URI` of the reference. Default: the whole document. */
  id?: string;
  /** Adds the properties that XAdES signs. */
  xades?: boolean;
  transforms?: readonly string[];
  canonicalisation?: string;
  digest?: string;
}

const DAY_MS = 86_400_000;
const VICAL_SIGNER = '1.0.18013.5.1.8';
const ECDSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256';
const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';
const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const ENVELOPED = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';
const SHA256 = 'http://www.w3.org/2001/04/xmlenc#sha256';
const XADES = 'http://uri.etsi.org/01903/v1.3.2#';
const ATTESTATIONS = 'http://uri.etsi.org/TrstSvc/Svctype/EAA/Q';
const GRANTED = 'http://uri.etsi.org/TrstSvc/TrustedList/Svcstatus/granted';

/** With `rsa`, the signer has an RSA key, for trusted lists only. */
export async function createListProvider(now: Date, number = 20, { rsa = false } = {}): Promise<ListProvider> {
  const x509 = await loadX509();
  const rootKeys = await deriveSigningKeys(new Uint8Array(32), number);
  const keys = rsa ? await makeRsaKeys() : await deriveSigningKeys(new Uint8Array(32), number + 1);
  const shared = {
    issuerName: 'C=UT, CN=Provider',
    notBefore: new Date(now.getTime() - DAY_MS),
    notAfter: new Date(now.getTime() + 30 * DAY_MS),
    signingKey: rootKeys.privateKey,
  };
  const root = await makeCertificate({
    ...shared,
    name: 'C=UT, CN=Provider',
    publicKey: rootKeys.publicKey,
    extensions: rootExtensions(x509),
  });
  const signer = await makeCertificate({
    ...shared,
    name: 'C=UT, CN=Signer of lists',
    publicKey: keys.publicKey,
    extensions: [new x509.KeyUsagesExtension(1, true), new x509.ExtendedKeyUsageExtension([VICAL_SIGNER], true)],
  });
  return { root: toPem(root), signer, signerPem: toPem(signer), signingKey: keys.privateKey };
}

function makeRsaKeys(): Promise<webcrypto.CryptoKeyPair> {
  const publicExponent = new Uint8Array([1, 0, 1]);
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', modulusLength: 2048, publicExponent, hash: 'SHA-256' };
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
}

export async function makeVical(
  { signer, signingKey }: ListProvider,
  entries: readonly { certificate: Uint8Array; docTypes: string[] }[],
  { issuedAt, nextUpdate }: ListDates,
): Promise<Uint8Array> {
  const infos = entries.map(
    ({ certificate, docTypes }) =>
      new Map<string, unknown>([
        ['certificate', certificate],
        ['docType', docTypes],
      ]),
  );
  const list = new Map<string, unknown>([
    ['version', '1.0'],
    ['vicalProvider', 'Provider'],
    ['date', encodeDate(issuedAt)],
    ...(nextUpdate ? [['nextUpdate', encodeDate(nextUpdate)] as const] : []),
    ['certificateInfos', infos],
  ]);
  return encodeCbor(await signCose(signingKey, encodeCbor(list), { x5chain: signer }));
}

/** As in ETSI TS 119 612, with two namespace styles, a comment and escaped characters. */
export function writeTrustedList(services: readonly ListedService[], { issuedAt, nextUpdate }: ListDates): string {
  const written = services.map(
    ({ certificate, type = ATTESTATIONS, status = GRANTED, since = issuedAt }) => `
      <TSPService><ServiceInformation>
        <ServiceTypeIdentifier>${type}</ServiceTypeIdentifier>
        <ServiceName><Name xml:lang="en">Ages &amp; more &gt; less</Name></ServiceName>
        <ServiceDigitalIdentity><DigitalId>
          <X509Certificate>${Buffer.from(certificate).toString('base64')}</X509Certificate>
        </DigitalId></ServiceDigitalIdentity>
        <ServiceStatus>${status}</ServiceStatus>
        <StatusStartingTime>${since.toISOString()}</StatusStartingTime>
        <ServiceInformationExtensions><Extension Critical="false" other:b="2" a='"&#9;"' xmlns:other="urn:other">
          <other:Empty xmlns:unused="urn:unused"/><plain xmlns="">\u00e9 &#xD; <![CDATA[<&]]></plain>
        </Extension></ServiceInformationExtensions>
      </ServiceInformation></TSPService>`,
  );
  const next = nextUpdate ? `<dateTime>${nextUpdate.toISOString()}</dateTime>` : '';
  return `<?xml version="1.0" encoding="UTF-8"?>
<TrustServiceStatusList xmlns="http://uri.etsi.org/02231/v2#" xmlns:e="urn:extra" Id="list" TSLTag="http://uri.etsi.org/19612/TSLTag">
  <SchemeInformation><!-- of nobody -->
    <ListIssueDateTime>${issuedAt.toISOString()}</ListIssueDateTime><NextUpdate>${next}</NextUpdate>
  </SchemeInformation>
  <TrustServiceProviderList><TrustServiceProvider><TSPServices>${written.join('')}
  </TSPServices></TrustServiceProvider></TrustServiceProviderList>
</TrustServiceStatusList>`;
}

export function signTrustedList({ signingKey }: ListProvider, xml: string, options: SignedListOptions = {}): string {
  const {
    id,
    xades = false,
    transforms = [ENVELOPED, EXCLUSIVE],
    canonicalisation: canonicalization = EXCLUSIVE,
  } = options;
  const { digest = SHA256 } = options;
  const key = KeyObject.from(signingKey);
  const properties = `<xades:QualifyingProperties xmlns:xades="${XADES}"><xades:SignedProperties Id="properties">
    <xades:SigningTime>2026-11-16T12:00:00Z</xades:SigningTime></xades:SignedProperties></xades:QualifyingProperties>`;
  const signer = new SignedXml({
    privateKey: key.export({ type: 'pkcs8', format: 'pem' }),
    canonicalizationAlgorithm: canonicalization as typeof EXCLUSIVE,
    signatureAlgorithm: key.asymmetricKeyType === 'rsa' ? RSA_SHA256 : ECDSA_SHA256,
    ...(xades && { objects: [{ content: properties }] }),
  });
  signer.SignatureAlgorithms[ECDSA_SHA256] = class {
    getAlgorithmName = () => ECDSA_SHA256;
    getSignature = (text: unknown) =>
      createSign('sha256').update(String(text)).sign({ key, dsaEncoding: 'ieee-p1363' }, 'base64');
    verifySignature = () => false;
  } as unknown as (typeof signer.SignatureAlgorithms)[string];
  signer.addReference({
    xpath: '/*',
    transforms,
    digestAlgorithm: digest,
    ...(id === undefined ? { uri: '', isEmptyUri: true } : { uri: `#${id}` }),
  });
  if (xades) {
    signer.addReference({
      xpath: "//*[local-name(.)='SignedProperties']",
      transforms: [EXCLUSIVE],
      digestAlgorithm: SHA256,
      type: 'http://uri.etsi.org/01903#SignedProperties',
    });
  }
  signer.computeSignature(xml, { prefix: 'ds', location: { reference: '/*', action: 'append' } });
  return signer.getSignedXml();
}

function toPem(der: Uint8Array): string {
  return `-----BEGIN CERTIFICATE-----\n${Buffer.from(der).toString('base64')}\n-----END CERTIFICATE-----\n`;
}
