// Trusted lists: accepted if their operator signed them completely, refused otherwise.
import { beforeAll, describe, expect, it } from 'vitest';
import { createTestIssuer, type TestIssuer } from '../../../test-issuer/test-issuer.ts';
import { daysFrom } from '../../../testing/broken-issuer.ts';
import {
  createListProvider,
  type ListedService,
  type ListProvider,
  type SignedListOptions,
  signTrustedList,
  writeTrustedList,
} from '../../../testing/make-lists.ts';
import { NOW } from '../../../testing/requests.ts';
import { AnchorError, describeAnchor, importTrustedList } from '../../index.ts';

const DATES = { issuedAt: NOW, nextUpdate: daysFrom(NOW, 10) };
const STATUS = 'http://uri.etsi.org/TrstSvc/TrustedList/Svcstatus';
const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const INCLUSIVE = 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315';
const ENVELOPED = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';
let authority: TestIssuer;
let other: TestIssuer;
let operator: ListProvider;
/** A list with one service, signed as a whole. */
let usual: string;

beforeAll(async () => {
  [authority, other] = (await Promise.all(
    ['UT', 'XX'].map((country) => createTestIssuer({ profile: 'eu_age', now: NOW, country })),
  )) as [TestIssuer, TestIssuer];
  operator = await createListProvider(NOW);
  usual = sign(writeTrustedList(services(), DATES));
});

const certificateOf = (issuer: TestIssuer) => issuer.anchor.certificate.native.raw;
const services = (...more: Partial<ListedService>[]) => [
  { certificate: certificateOf(authority) },
  ...more.map((one) => ({ certificate: certificateOf(other), ...one })),
];
const sign = (xml: string, options?: SignedListOptions) => signTrustedList(operator, xml, options);
const read = (xml: string, options: { signers?: string; now?: Date; serviceTypes?: string[] } = {}) =>
  importTrustedList(Buffer.from(xml), { profile: 'eu_age', signers: operator.signerPem, now: NOW, ...options });
const countries = async (xml: string, options?: Parameters<typeof read>[1]) =>
  (await read(xml, options)).anchors.map((anchor) => describeAnchor(anchor).country);

describe('a trusted list signed by another implementation', () => {
  it.each<[string, SignedListOptions]>([
    ['as a whole', {}],
    ['by the id of its root', { id: 'list' }],
    ['with the properties of XAdES', { xades: true }],
  ])('is accepted: %s', async (_, options) => {
    const xml = sign(writeTrustedList(services(), DATES), options);
    expect(await read(xml)).toMatchObject({ skipped: 0, ...DATES });
    expect(await countries(xml)).toEqual(['UT']);
    expect(await countries(xml.replace('<!-- of nobody -->', ''))).toEqual(['UT']);
  });

  it('is accepted with RSA, and with enough services for two chunks', async () => {
    const rsa = await createListProvider(NOW, 40, { rsa: true });
    const many = Array.from({ length: 60 }, () => ({ certificate: certificateOf(authority) }));
    const xml = signTrustedList(rsa, writeTrustedList(many, DATES));
    expect(xml.length).toBeGreaterThan(65_536);
    expect(await countries(xml, { signers: operator.signerPem + rsa.signerPem })).toEqual(['UT']);
    // A key of another kind does not verify the signature.
    await expect(read(xml)).rejects.toThrow('None of the provider');
    await expect(read(usual, { signers: rsa.signerPem })).rejects.toThrow('None of the provider');
  });

  it('returns services of the required type and status and counts unusable ones', async () => {
    const listed = services(
      { status: `${STATUS}/withdrawn` },
      { type: 'http://uri.etsi.org/TrstSvc/Svctype/CA/QC' },
      { since: daysFrom(NOW, 1) },
      { certificate: operator.signer },
    );
    const xml = sign(writeTrustedList(listed, DATES));
    expect(await read(xml)).toMatchObject({ skipped: 1 });
    expect(await countries(xml)).toEqual(['UT']);
    expect(await countries(xml, { serviceTypes: ['http://uri.etsi.org/TrstSvc/Svctype/CA/QC'] })).toEqual(['XX']);
    const national = services({ status: `${STATUS}/recognisedatnationallevel` });
    expect(await countries(sign(writeTrustedList(national, DATES)))).toEqual(['UT', 'XX']);
  });

  it('is refused if someone else signed it, or its signer is not valid today', async () => {
    const stranger = await createListProvider(NOW, 30);
    const xml = usual;
    await expect(read(xml, { signers: stranger.signerPem })).rejects.toThrow('None of the provider');
    await expect(read(xml, { signers: operator.root })).rejects.toThrow('None of the provider');
    await expect(read(xml, { signers: stranger.signerPem + operator.signerPem })).resolves.toBeDefined();
    await expect(read(xml, { now: daysFrom(NOW, 31) })).rejects.toThrow('not valid today');
  });

  it.each<[string, (xml: string) => string]>([
    ['a service', (xml) => xml.replace('Svcstatus/granted', 'Svcstatus/withdrawn')],
    ['a white space', (xml) => xml.replace('<TSPServices>', '<TSPServices> ')],
    ['an attribute', (xml) => xml.replace('a=\'"', 'a=\'" ').replace('a="&quot;', 'a="&quot; ')],
    ['a namespace', (xml) => xml.replace('xmlns:other="urn:other"', 'xmlns:other="urn:another"')],
  ])('is refused after a modification: %s', async (_, alter) => {
    expect(alter(usual)).not.toBe(usual);
    await expect(read(alter(usual))).rejects.toThrow('modified after it was signed');
  });

  it('is refused if the signed properties were modified', async () => {
    const xml = sign(writeTrustedList(services(), DATES), { xades: true });
    await expect(read(xml.replace('2026-11-16T12:00:00Z', '2026-11-16T12:00:01Z'))).rejects.toThrow('modified');
  });

  it('is refused if it is outdated, closed or undated', async () => {
    await expect(read(usual, { now: daysFrom(NOW, 11) })).rejects.toThrow('out of date');
    await expect(read(sign(writeTrustedList(services(), { ...DATES, nextUpdate: null })))).rejects.toThrow('closed');
    const dateless = writeTrustedList(services(), DATES).replace(/<ListIssueDateTime>.*<\/ListIssueDateTime>/, '');
    await expect(read(sign(dateless))).rejects.toThrow('no date');
  });

  it('is refused if the signed content is something else', async () => {
    await expect(read(sign('<Other Id="x"/>'))).rejects.toThrow('not a trusted list');
  });
});

describe('a signature that does not cover the whole list', () => {
  /** Wraps the signed list in an attacker's list. */
  const forged = () => writeTrustedList([{ certificate: certificateOf(other) }], DATES).replace(/<\?xml.*\?>\n/, '');
  const signed = (options?: SignedListOptions) =>
    (options ? sign(writeTrustedList(services(), DATES), options) : usual).replace(/<\?xml.*\?>\n/, '');
  const signatureOf = (xml: string) => /<ds:Signature [\s\S]*<\/ds:Signature>/.exec(xml)?.[0] ?? '';
  const within = (outer: string, inner: string) =>
    outer.replace('</TrustServiceStatusList>', `${inner}</TrustServiceStatusList>`);

  it.each<[string, () => string]>([
    ['the signed list inside another', () => within(forged(), signed())],
    ['the signed list inside another, by its id', () => within(forged(), signed({ id: 'list' }))],
    ['its signature moved to another', () => within(forged(), signatureOf(signed()))],
    [
      'its signature moved to another of the same id, with the signed list in an object',
      () => {
        const xml = signed({ id: 'list' });
        const signature = signatureOf(xml);
        const original = xml.replace(signature, '');
        const wrapped = signature.replace('</ds:Signature>', `<ds:Object>${original}</ds:Object></ds:Signature>`);
        return within(forged(), wrapped);
      },
    ],
    [
      'the signed list in an object, and the root with another id',
      () => {
        const xml = signed({ id: 'list' });
        const signature = signatureOf(xml);
        const original = xml.replace(signature, '');
        const wrapped = signature.replace('</ds:Signature>', `<ds:Object>${original}</ds:Object></ds:Signature>`);
        return within(forged().replace('Id="list"', 'Id="another"'), wrapped);
      },
    ],
    ['two signatures', () => within(signed(), signatureOf(signed()))],
    ['a second one deeper down', () => signed().replace('<TSPServices>', `<TSPServices>${signatureOf(signed())}`)],
    ['no signature', () => forged()],
    ['an empty one', () => within(forged(), '<Signature xmlns="http://www.w3.org/2000/09/xmldsig#"/>')],
  ])('is refused: %s', async (_, make) => {
    await expect(read(make())).rejects.toThrow(AnchorError);
  });

  it.each<[string, SignedListOptions, string]>([
    ['inclusive canonicalization', { canonicalisation: INCLUSIVE }, 'transformation'],
    ['another transform of the list', { transforms: [ENVELOPED, INCLUSIVE] }, 'transformation'],
    ['a transform missing', { transforms: [ENVELOPED] }, 'transformation'],
    ['one too many', { transforms: [ENVELOPED, EXCLUSIVE, EXCLUSIVE] }, 'transformation'],
    ['SHA-1', { digest: 'http://www.w3.org/2000/09/xmldsig#sha1' }, 'unsupported'],
  ])('is refused because of its method: %s', async (_, options, sentence) => {
    await expect(read(sign(writeTrustedList(services(), DATES), options))).rejects.toThrow(sentence);
  });
});

describe('XML that no trusted list needs', () => {
  it.each([
    ['a document type', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', 'document type'],
    ['an entity', '<a>&b;</a>', 'not well-formed'],
    ['a processing instruction', '<a><?b c?></a>', 'processing instruction'],
    ['another version', '<?xml version="1.1"?><a/>', 'XML 1.0'],
    ['another encoding', '<?xml version="1.0" encoding="ISO-8859-1"?><a/>', 'UTF-8'],
    ['no end', '<a>', 'not well-formed'],
    ['two roots', '<a/><a/>', 'not well-formed'],
    ['a prefix of no namespace', '<b:a/>', 'not well-formed'],
    ['great depth', '<a>'.repeat(70), 'too deep'],
    ['nothing', '', 'not well-formed'],
  ])('is refused: %s', async (_, xml, sentence) => {
    await expect(read(xml)).rejects.toThrow(sentence);
  });

  it('is refused unless it is UTF-8', async () => {
    const bytes = Buffer.from('<a>\u00e9</a>', 'latin1');
    await expect(
      importTrustedList(bytes, { profile: 'eu_age', signers: operator.signerPem, now: NOW }),
    ).rejects.toThrow('not well-formed');
  });
});
