// Interoperability with another implementation of issuer and wallet: every profile, protocol and
// transcript.
import { beforeAll, describe, expect, it } from 'vitest';
import { createTestIssuer, type TestIssuer } from '../test-issuer/index.ts';
import { makeRequestSigner } from '../testing/make-signer.ts';
import { answerByPeer, issueByPeer, type PeerAttestation } from '../testing/peer-wallet.ts';
import { ask, NOW } from '../testing/requests.ts';
import { PROFILES, type ProfileId, verifyResponse } from './index.ts';
import type { RequestSigner } from './requests/request-signer.ts';

describe.each(Object.values(PROFILES))('profile $id', ({ id, protocols, takesDeviceMac }) => {
  let issuer: TestIssuer;
  let attestation: PeerAttestation;
  let signer: RequestSigner;

  beforeAll(async () => {
    issuer = await createTestIssuer({ profile: id, now: NOW });
    attestation = await issueByPeer(issuer, { age_over_18: true, age_over_21: false }, NOW);
    ({ signer } = await makeRequestSigner('x509_san_dns'));
  });

  describe.each(protocols)('by %s', (protocol) => {
    it.each(encryptionsOf(protocol))('accepts a response with encryption %s', async (encrypted) => {
      const created = await ask({ profile: id, protocol, signer, encrypted });
      const answer = await answerByPeer(created, attestation);
      expect(await verify(created, answer)).toEqual(accepted(id));
    });

    it('refuses the response to another request', async () => {
      const [one, other] = await Promise.all([
        ask({ profile: id, protocol, signer }),
        ask({ profile: id, protocol, signer }),
      ]);
      const verdict = await verify(one, await answerByPeer(other, attestation));
      expect(verdict).toMatchObject({
        ok: false,
        refusal: one.state.answerKey ? 'answer_not_decryptable' : 'device_signature',
      });
    });

    it('accepts a MAC if the profile allows it', async () => {
      const created = await ask({ profile: id, protocol, signer });
      if (!created.state.answerKey) return;
      const verdict = await verify(created, await answerByPeer(created, attestation, { mac: true }));
      expect(verdict).toEqual(takesDeviceMac ? accepted(id) : expect.objectContaining({ refusal: 'device_algorithm' }));
    });
  });

  function verify(created: Awaited<ReturnType<typeof ask>>, answer: unknown) {
    // States are stored as JSON.
    const state = JSON.parse(JSON.stringify(created.state));
    return verifyResponse(state, answer, { anchors: [issuer.anchor], now: NOW, acceptTestIssuers: true });
  }
});

function encryptionsOf(protocol: string): boolean[] {
  return protocol === 'org-iso-mdoc' ? [true] : [true, false];
}

function accepted(profile: ProfileId) {
  return {
    ok: true,
    profile,
    ageOver: 18,
    issuerCountry: 'UT',
    isTestIssuer: true,
    status: null,
    extraElements: 0,
    revocation: [],
  };
}
