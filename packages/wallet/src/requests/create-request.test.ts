// Requests as wallets read them: one element, nothing kept, the right party asking.
import { createHash, createPublicKey, X509Certificate } from 'node:crypto';
import { compactVerify, decodeProtectedHeader } from 'jose';
import { describe, expect, it } from 'vitest';
import { makeRequestSigner } from '../../testing/make-signer.ts';
import { ask, ORIGIN, RESPONSE_URI } from '../../testing/requests.ts';
import { findAgeFor, PROFILES } from '../index.ts';

describe('by Annex C', () => {
  it('is the request that the European specification prints', async () => {
    const { request } = await ask({ profile: 'eu_age', protocol: 'org-iso-mdoc' });
    expect(request).toMatchObject({
      kind: 'digital',
      protocol: 'org-iso-mdoc',
      data: {
        deviceRequest:
          'omd2ZXJzaW9uYzEuMGtkb2NSZXF1ZXN0c4GhbGl0ZW1zUmVxdWVzdNgYWEeiZ2RvY1R5cGVxZXUuZXVyb3BhLmVjLmF2LjFqbmFtZVNwYWNlc6FxZXUuZXVyb3BhLmVjLmF2LjGha2FnZV9vdmVyXzE49A',
        encryptionInfo: expect.stringMatching(/^gmVkY2FwaaJlbm9uY2VY/),
      },
    });
  });

  it('is the same for the same entropy, and another for another', async () => {
    const entropy = new Uint8Array(64).fill(3);
    const [one, same, other] = await Promise.all([
      ask({ profile: 'mdl', protocol: 'org-iso-mdoc', entropy }),
      ask({ profile: 'mdl', protocol: 'org-iso-mdoc', entropy }),
      ask({ profile: 'mdl', protocol: 'org-iso-mdoc' }),
    ]);
    expect(one).toEqual(same);
    expect(one.state.nonce).not.toBe(other.state.nonce);
    expect(one.state.answerKey).not.toEqual(other.state.answerKey);
  });
});

describe('by OpenID4VP', () => {
  it('asks for one element that is not kept', async () => {
    const { request, state } = await ask({ profile: 'mdl', protocol: 'openid4vp-v1-unsigned' });
    if (request.kind !== 'digital') throw new Error('not for the browser');
    const { d: _, ...publicKey } = state.answerKey!;
    expect(request.data).toEqual({
      response_type: 'vp_token',
      response_mode: 'dc_api.jwt',
      nonce: state.nonce,
      dcql_query: {
        credentials: [
          {
            id: 'proof_of_age',
            format: 'mso_mdoc',
            meta: { doctype_value: 'org.iso.18013.5.1.mDL' },
            claims: [{ path: ['org.iso.18013.5.1', 'age_over_18'], intent_to_retain: false }],
          },
        ],
      },
      client_metadata: {
        vp_formats_supported: {
          mso_mdoc: { issuerauth_alg_values: [-7, -35, -36, -8], deviceauth_alg_values: [-7, -35, -36, -8, 5] },
        },
        jwks: { keys: [{ ...publicKey, kid: 'answer', use: 'enc', alg: 'ECDH-ES' }] },
        encrypted_response_enc_values_supported: ['A128GCM', 'A256GCM'],
      },
    });
  });

  it('is a link by value where nobody signs', async () => {
    const { request, state } = await ask({ profile: 'eu_age', protocol: 'redirect-unsigned' });
    if (request.kind !== 'link') throw new Error('no link');
    expect(request.link).toMatch(/^av:\/\/\?/);
    const parameters = new URL(request.link).searchParams;
    expect(Object.fromEntries(parameters)).toMatchObject({
      client_id: `redirect_uri:${RESPONSE_URI}`,
      response_uri: RESPONSE_URI,
      response_type: 'vp_token',
      response_mode: 'direct_post',
      nonce: state.nonce,
    });
    expect(JSON.parse(parameters.get('dcql_query')!).credentials[0].claims).toEqual([
      { path: ['eu.europa.ec.av.1', 'age_over_18'], intent_to_retain: false },
    ]);
    expect(state.answerKey).toBeNull();
  });

  it('names the verifier by its host, signed with the key of its certificate', async () => {
    const signer = await makeRequestSigner('x509_san_dns');
    const requestUri = 'https://age.example/request/1';
    const { request } = await ask({ profile: 'mdl', protocol: 'redirect-signed', signer, requestUri });
    if (request.kind !== 'link') throw new Error('no link');
    expect(Object.fromEntries(new URL(request.link).searchParams)).toEqual({
      client_id: 'x509_san_dns:age.example',
      request_uri: requestUri,
    });
    const header = decodeProtectedHeader(request.requestObject!);
    expect(header).toMatchObject({ alg: 'ES256', typ: 'oauth-authz-req+jwt' });
    const certificate = new X509Certificate(Buffer.from(header.x5c![0]!, 'base64'));
    const { payload } = await compactVerify(request.requestObject!, certificate.publicKey);
    expect(JSON.parse(Buffer.from(payload).toString())).toMatchObject({
      aud: 'https://self-issued.me/v2',
      client_id: 'x509_san_dns:age.example',
      response_uri: RESPONSE_URI,
      response_mode: 'direct_post.jwt',
    });
  });

  it('carries the signed request itself where it is served nowhere', async () => {
    const signer = await makeRequestSigner('x509_hash');
    const { request } = await ask({ profile: 'mdl', protocol: 'redirect-signed', signer });
    if (request.kind !== 'link') throw new Error('no link');
    expect(new URL(request.link).searchParams.get('request')).toBe(request.requestObject);
    const der = Buffer.from(signer.x5c[0]!, 'base64');
    expect(signer.clientId).toBe(`x509_hash:${createHash('sha256').update(der).digest('base64url')}`);
  });

  it('says which pages a signed request is for', async () => {
    const signer = await makeRequestSigner('x509_hash');
    const { request } = await ask({ profile: 'mdl', protocol: 'openid4vp-v1-signed', signer });
    if (request.kind !== 'digital') throw new Error('not for the browser');
    const key = createPublicKey(signer.privateKey);
    const { payload } = await compactVerify(String(request.data['request']), key);
    expect(JSON.parse(Buffer.from(payload).toString())).toMatchObject({
      client_id: signer.clientId,
      expected_origins: [ORIGIN],
      response_mode: 'dc_api.jwt',
    });
  });

  it('is not made with a certificate for another host', async () => {
    const signer = await makeRequestSigner('x509_san_dns', 'other.example');
    await expect(ask({ profile: 'mdl', protocol: 'redirect-signed', signer })).rejects.toThrow('not for the host');
  });

  it('has no name of several hosts', async () => {
    await expect(makeRequestSigner('x509_san_dns', '*.example')).rejects.toThrow('names no host');
  });
});

describe('a threshold', () => {
  it.each([
    ['eu_age', 12, 18],
    ['eu_age', 18, 18],
    ['eu_age', 19, 21],
    ['eu_age', 22, null],
    ['mdl', 21, 21],
    ['mdl', 22, 65],
    ['mdl', 66, null],
  ] as const)('of %s, %i: the element for %s', (profile, threshold, age) => {
    expect(findAgeFor(PROFILES[profile], threshold)).toBe(age);
  });

  it.each([
    [{ threshold: 90 }, 'no element'],
    [{ protocol: 'openid4vp-v1-unsigned' as const }, 'does not have this protocol'],
    [{ entropy: new Uint8Array(8) }, 'Entropy'],
  ])('that cannot be asked for is a fault of the caller: %j', async (wrong, message) => {
    await expect(ask({ profile: 'eu_age', protocol: 'org-iso-mdoc', ...wrong })).rejects.toThrow(message);
  });
});
