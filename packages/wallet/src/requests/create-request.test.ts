// Requests as wallets read them: one element, not retained, with the correct requester.
import { describe, expect, it } from 'vitest';
import { ask, RESPONSE_URI } from '../../testing/requests.ts';
import { findAgeFor, PROFILES } from '../index.ts';

describe('by Annex C', () => {
  it('matches the example of the European specification', async () => {
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

  it('is determined by its entropy', async () => {
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
  it('requests one element that is not retained', async () => {
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

  it('is a link by value without a signer', async () => {
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
  ] as const)('with profile %s and %i requests the element for %s', (profile, threshold, age) => {
    expect(findAgeFor(PROFILES[profile], threshold)).toBe(age);
  });

  it.each([
    [{ threshold: 90 }, 'no element'],
    [{ protocol: 'openid4vp-v1-unsigned' as const }, 'does not support this protocol'],
    [{ entropy: new Uint8Array(8) }, 'The entropy'],
  ])('is rejected if invalid: %j', async (wrong, message) => {
    await expect(ask({ profile: 'eu_age', protocol: 'org-iso-mdoc', ...wrong })).rejects.toThrow(message);
  });
});
