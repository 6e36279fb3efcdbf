// Signed requests: a strict wallet accepts them and refuses every modification.
import { CompactSign, decodeProtectedHeader, importPKCS8 } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { answerRequest, createTestIssuer, issueAttestation } from '../../test-issuer/index.ts';
import { checkRequest, type RequestChecks } from '../../testing/check-request.ts';
import { HOST, makeRequestSigner, makeSignerFiles, type SignerFiles } from '../../testing/make-signer.ts';
import { ask, NOW, ORIGIN, RESPONSE_URI } from '../../testing/requests.ts';
import { type RequestSigner, readRequestSigner, SignerError, type SignerName, verifyResponse } from '../index.ts';

const PREFIXES = ['x509_san_dns', 'x509_hash'] as const;
const REQUEST_URI = 'https://age.example/launch/wallet/1';
const DAY_MS = 86_400_000;

interface Asked {
  signer: RequestSigner;
  root: string;
}

async function askByLink({ signer, root }: Asked) {
  const created = await ask({ profile: 'mdl', protocol: 'redirect-signed', signer, requestUri: REQUEST_URI });
  if (created.request.kind !== 'link') throw new Error('no link');
  const { link, requestObject } = created.request;
  const clientId = new URL(link).searchParams.get('client_id')!;
  return { created, link, checks: { requestObject: requestObject!, root, clientId, now: NOW } };
}

async function askByBrowser({ signer, root }: Asked) {
  const created = await ask({ profile: 'mdl', protocol: 'openid4vp-v1-signed', signer });
  if (created.request.kind !== 'digital') throw new Error('not for the browser');
  const requestObject = String(created.request.data['request']);
  return { created, checks: { requestObject, root, origin: ORIGIN, now: NOW } };
}

describe.each(PREFIXES)('a request by %s', (prefix) => {
  let asked: Asked;
  beforeAll(async () => {
    asked = await makeRequestSigner(prefix);
  });

  it("is accepted from a link, which contains only the requester and the request's URL", async () => {
    const { link, checks } = await askByLink(asked);
    expect(link).toMatch(/^openid4vp:\/\/\?/);
    expect(Object.fromEntries(new URL(link).searchParams)).toEqual({
      client_id: asked.signer.clientId,
      request_uri: REQUEST_URI,
    });
    expect(asked.signer.clientId).toMatch(
      prefix === 'x509_hash' ? /^x509_hash:[\w-]{43}$/ : /^x509_san_dns:age\.example$/,
    );
    expect(await checkRequest(checks)).toMatchObject({
      client_id: asked.signer.clientId,
      response_uri: RESPONSE_URI,
      response_mode: 'direct_post.jwt',
    });
  });

  it('is accepted through the browser, for this page only', async () => {
    const { checks } = await askByBrowser(asked);
    expect(await checkRequest(checks)).toMatchObject({
      client_id: asked.signer.clientId,
      expected_origins: [ORIGIN],
      response_mode: 'dc_api.jwt',
    });
    await expect(checkRequest({ ...checks, origin: 'https://evil.example' })).rejects.toThrow('expected_origins');
  });

  it('is answered for the signed name and no other', async () => {
    const issuer = await createTestIssuer({ profile: 'mdl', now: NOW });
    const attestation = await issueAttestation(issuer, { elements: { age_over_18: true }, now: NOW });
    const { created } = await askByLink(asked);
    const { fields } = await answerRequest(created.request, attestation);
    const options = { anchors: [issuer.anchor], now: NOW, acceptTestIssuers: true };
    expect(await verifyResponse(created.state, fields, options)).toMatchObject({ ok: true });
    const { handover } = created.state;
    if (handover.kind !== 'redirect') throw new Error('no redirect');
    const renamed = { ...created.state, handover: { ...handover, clientId: `redirect_uri:${RESPONSE_URI}` } };
    expect(await verifyResponse(renamed, fields, options)).toMatchObject({ refusal: 'device_signature' });
  });
});

describe('a modified request', () => {
  let asked: Asked;
  let files: SignerFiles;
  beforeAll(async () => {
    files = await makeSignerFiles();
    asked = {
      signer: readRequestSigner(files.certificate, files.key, { prefix: 'x509_san_dns', host: HOST }),
      ...files,
    };
  });

  const split = (requestObject: string) => requestObject.split('.') as [string, string, string];
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;

  /** Replaces payload or header and keeps the signature. */
  const patched = (at: 0 | 1, patch: object) => async (checks: RequestChecks) => {
    const parts = split(checks.requestObject);
    parts[at] = encode({ ...decode(parts[at]), ...patch });
    return { ...checks, requestObject: parts.join('.') };
  };
  /** Replaces the payload and signs with the verifier's own key. */
  const signedAnew =
    (patch: object, header: object = {}) =>
    async (checks: RequestChecks) => {
      const payload = { ...decode(split(checks.requestObject)[1]), ...patch };
      const signing = new CompactSign(Buffer.from(JSON.stringify(payload)));
      signing.setProtectedHeader({ ...(decodeProtectedHeader(checks.requestObject) as { alg: string }), ...header });
      return { ...checks, requestObject: await signing.sign(await importPKCS8(files.key, 'ES256')) };
    };

  it.each<[string, (checks: RequestChecks) => Promise<RequestChecks>, string]>([
    [
      'the address of the answer',
      patched(1, { response_uri: 'https://evil.example/' }),
      'signature verification failed',
    ],
    ['the nonce', patched(1, { nonce: 'another' }), 'signature verification failed'],
    ['the query', patched(1, { dcql_query: {} }), 'signature verification failed'],
    ['the key of the answer', patched(1, { client_metadata: {} }), 'signature verification failed'],
    ['the kind of token', patched(0, { typ: 'JWT' }), 'typ'],
    ['the certificates, taken away', patched(0, { x5c: [] }), 'x5c'],
    [
      'the name in the link',
      async (checks) => ({ ...checks, clientId: 'x509_san_dns:evil.example' }),
      'client_id of the link',
    ],
    ['the authority', async (checks) => ({ ...checks, root: (await makeSignerFiles()).root }), 'chain'],
    ['the day', async (checks) => ({ ...checks, now: new Date(NOW.getTime() + 31 * DAY_MS) }), 'dates'],
    ['the audience', signedAnew({ aud: 'https://other.example' }), 'aud'],
    [
      'the answer’s host, by the verifier itself',
      signedAnew({ response_uri: 'https://evil.example/' }),
      'response_uri',
    ],
    [
      'the signature',
      async (checks) => {
        const [header, payload, signature] = split(checks.requestObject);
        const bytes = Buffer.from(signature, 'base64url');
        bytes[7]! ^= 1;
        return { ...checks, requestObject: [header, payload, bytes.toString('base64url')].join('.') };
      },
      'signature verification failed',
    ],
  ])('is refused: %s', async (_, change, reason) => {
    const { checks } = await askByLink(asked);
    await expect(change(checks).then(checkRequest)).rejects.toThrow(reason);
  });

  it('is refused if the name is replaced by another host or fingerprint', async () => {
    const { checks } = await askByBrowser(asked);
    const claim = async (client_id: string) => checkRequest(await signedAnew({ client_id })(checks));
    await expect(claim('x509_san_dns:evil.example')).rejects.toThrow('x509_san_dns');
    await expect(claim(`x509_hash:${'A'.repeat(43)}`)).rejects.toThrow('x509_hash');
    await expect(claim(`redirect_uri:${RESPONSE_URI}`)).rejects.toThrow('client_id prefix');
  });
});

describe('a signer', () => {
  const HASH: SignerName = { prefix: 'x509_hash' };
  const read = (certificate: string, key: string, name: SignerName = HASH) => {
    try {
      return readRequestSigner(certificate, key, name).x5c.length;
    } catch (error) {
      expect(error).toBeInstanceOf(SignerError);
      return (error as Error).message;
    }
  };

  it('includes its certificate and intermediates, but not the root', async () => {
    const { certificate, key, root } = await makeSignerFiles();
    expect(read(certificate, key)).toBe(1);
    expect(read(`${certificate}${root}`, key)).toBe(1);
  });

  it('rejects certificates that no wallet would accept', async () => {
    const [{ certificate, key, root }, other] = await Promise.all([makeSignerFiles(), makeSignerFiles()]);
    const namesHost = (host: string): SignerName => ({ prefix: 'x509_san_dns', host });
    expect(read('', key)).toBe('The file contains no certificate.');
    expect(read(certificate.replace('MII', 'AAA'), key)).toBe('A certificate in the file is damaged.');
    expect(read(certificate, other.key)).toBe('The key does not belong to the certificate.');
    const unordered = 'Each certificate in the file must be followed by its issuer.';
    expect(read(`${certificate}${other.root}`, key)).toBe(unordered);
    expect(read(certificate + root.repeat(4), key)).toBe('The file contains more than 4 certificates.');
    expect(read(certificate, key, namesHost('other.example'))).toBe(
      'The certificate does not name the host other.example.',
    );
    const longer = await makeSignerFiles({ curve: 'P-384' });
    expect(read(longer.certificate, longer.key)).toBe(
      'The key must be on the curve P-256, because wallets need not support any other.',
    );
    const many = await makeSignerFiles({ host: '*.example' });
    expect(read(many.certificate, many.key, namesHost(HOST))).toBe(`The certificate does not name the host ${HOST}.`);
  });

  it('signs only for its own host', async () => {
    const { signer } = await makeRequestSigner('x509_san_dns');
    const responseUri = 'https://other.example/answer';
    await expect(ask({ profile: 'mdl', protocol: 'redirect-signed', signer, responseUri })).rejects.toThrow(
      'not valid for the host',
    );
  });

  it('puts the request into the link if it has no URL', async () => {
    const { signer } = await makeRequestSigner('x509_hash');
    const { request } = await ask({ profile: 'mdl', protocol: 'redirect-signed', signer });
    if (request.kind !== 'link') throw new Error('no link');
    expect(new URL(request.link).searchParams.get('request')).toBe(request.requestObject);
  });
});
