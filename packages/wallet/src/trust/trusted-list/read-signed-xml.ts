// Reads an XML document with an enveloped signature (XML Signature, as in ETSI TS 119 612, B.1),
// and returns only signed content. Refuses everything that such lists do not need.
import { createHash, type KeyObject, timingSafeEqual, verify } from 'node:crypto';
import { AnchorError } from '../anchors.ts';
import { canonicalize } from './canonicalise.ts';
import { attributeOf, findByPath, findOne, isElement, readElementText, readXml, type XmlElement } from './read-xml.ts';

const DSIG = 'http://www.w3.org/2000/09/xmldsig#';
const MORE = 'http://www.w3.org/2001/04/xmldsig-more#';
const XMLENC = 'http://www.w3.org/2001/04/xmlenc#';
const XADES = 'http://uri.etsi.org/01903/v1.3.2#';
const SIGNED_PROPERTIES = 'http://uri.etsi.org/01903#SignedProperties';
const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const ENVELOPED = `${DSIG}enveloped-signature`;

/** Neither SHA-1 nor shared secrets. */
const SIGNATURES: Readonly<Record<string, { hash: string; keyType: 'rsa' | 'ec' }>> = {
  [`${MORE}rsa-sha256`]: { hash: 'sha256', keyType: 'rsa' },
  [`${MORE}rsa-sha384`]: { hash: 'sha384', keyType: 'rsa' },
  [`${MORE}rsa-sha512`]: { hash: 'sha512', keyType: 'rsa' },
  [`${MORE}ecdsa-sha256`]: { hash: 'sha256', keyType: 'ec' },
  [`${MORE}ecdsa-sha384`]: { hash: 'sha384', keyType: 'ec' },
  [`${MORE}ecdsa-sha512`]: { hash: 'sha512', keyType: 'ec' },
};
const DIGESTS: Readonly<Record<string, string>> = {
  [`${XMLENC}sha256`]: 'sha256',
  [`${MORE}sha384`]: 'sha384',
  [`${XMLENC}sha512`]: 'sha512',
};

/** Returns the signed root without its signature. Throws `AnchorError`. */
export async function readSignedXml(bytes: Uint8Array, keys: readonly KeyObject[]): Promise<XmlElement> {
  const root = await readXml(bytes);
  const signature = findOne(root, DSIG, 'Signature');
  if (!signature || countSignatures(root) !== 1) {
    throw new AnchorError('The list must have exactly one signature, directly in its root.');
  }
  const signedInfo = findOne(signature, DSIG, 'SignedInfo');
  if (!signedInfo) throw new AnchorError('A part of the list’s signature is missing.');
  checkSignature(signature, signedInfo, keys);
  const signed = { ...root, children: root.children.filter((child) => child !== signature) };
  checkReferences(signedInfo, signature, signed);
  return signed;
}

function countSignatures(within: XmlElement): number {
  const own = within.uri === DSIG && within.local === 'Signature' ? 1 : 0;
  return within.children.filter(isElement).reduce((sum, child) => sum + countSignatures(child), own);
}

function checkSignature(signature: XmlElement, signedInfo: XmlElement, keys: readonly KeyObject[]): void {
  requireAlgorithm(findOne(signedInfo, DSIG, 'CanonicalizationMethod'), EXCLUSIVE);
  const algorithm = SIGNATURES[plainAlgorithm(findOne(signedInfo, DSIG, 'SignatureMethod')) ?? ''];
  if (!algorithm) throw new AnchorError('The signature of the list uses an unsupported algorithm.');
  const value = readBase64(findOne(signature, DSIG, 'SignatureValue'));
  const text = Buffer.from(canonicalize(signedInfo));
  // Keys in the document itself are not trusted.
  const isSigned = keys.some(
    (key) =>
      key.asymmetricKeyType === algorithm.keyType &&
      verify(algorithm.hash, text, { key, dsaEncoding: 'ieee-p1363' }, value),
  );
  if (!isSigned) throw new AnchorError('None of the provider’s certificates signed the list.');
}

/** One reference to the whole list and, with XAdES, one to the signed properties. */
function checkReferences(signedInfo: XmlElement, signature: XmlElement, signed: XmlElement): void {
  const references = findByPath(signedInfo, DSIG, 'Reference');
  const isAside = (reference: XmlElement) => attributeOf(reference, 'Type') === SIGNED_PROPERTIES;
  const [whole, ...furtherReferences] = references.filter((reference) => !isAside(reference));
  const [properties, ...further] = references.filter(isAside);
  if (!whole || furtherReferences.length > 0 || further.length > 0) {
    throw new AnchorError('The signature of the list must cover the whole list and nothing else.');
  }
  checkReference(whole, signed, ['', idOf(signed)], [ENVELOPED, EXCLUSIVE]);
  if (!properties) return;
  const target = findOne(signature, DSIG, 'Object');
  const qualifying = target && findOne(target, XADES, 'QualifyingProperties', 'SignedProperties');
  if (!qualifying) throw new AnchorError('The signature of the list refers to missing properties.');
  checkReference(properties, qualifying, [idOf(qualifying)], [EXCLUSIVE]);
}

function checkReference(
  reference: XmlElement,
  target: XmlElement,
  addresses: readonly (string | undefined)[],
  transforms: readonly string[],
): void {
  const address = attributeOf(reference, 'URI');
  if (address === undefined || !addresses.includes(address)) {
    throw new AnchorError('The signature does not cover the whole list.');
  }
  const named = findByPath(reference, DSIG, 'Transforms', 'Transform');
  if (named.length !== transforms.length) throw new AnchorError('The list uses an unsupported transformation.');
  named.forEach((transform, at) => {
    requireAlgorithm(transform, transforms[at] ?? '');
  });
  const hash = DIGESTS[plainAlgorithm(findOne(reference, DSIG, 'DigestMethod')) ?? ''];
  if (!hash) throw new AnchorError('The digest of the list uses an unsupported algorithm.');
  const expected = readBase64(findOne(reference, DSIG, 'DigestValue'));
  const found = createHash(hash).update(canonicalize(target)).digest();
  if (expected.length !== found.length || !timingSafeEqual(expected, found)) {
    throw new AnchorError('The list was modified after it was signed.');
  }
}

function idOf(element: XmlElement): string | undefined {
  const id = attributeOf(element, 'Id');
  return id ? `#${id}` : undefined;
}

function requireAlgorithm(element: XmlElement | undefined, algorithm: string): void {
  if (plainAlgorithm(element) !== algorithm) {
    throw new AnchorError('The list uses an unsupported transformation.');
  }
}

/** Returns undefined if it has parameters. No supported algorithm needs any. */
function plainAlgorithm(element: XmlElement | undefined): string | undefined {
  return element?.children.some(isElement) ? undefined : attributeOf(element, 'Algorithm');
}

function readBase64(element: XmlElement | undefined): Buffer {
  return Buffer.from(readElementText(element), 'base64');
}
