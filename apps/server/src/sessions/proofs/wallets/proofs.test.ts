// Timeouts of a proof's lookups, and test issuers in the live world. Sessions cover the rest.
import { answerRequest, createTestIssuer, issueAttestation } from '@limen/wallet/test-issuer';
import { compressStatuses, makeStatusJwt } from '@limen/wallet/testing/make-status-list.ts';
import { expect, it } from 'vitest';
import { createManualClock } from '#testing/manual-clock.ts';
import { createStatusServer } from '#testing/status-server.ts';
import type { World } from '../../../platform/base/world.ts';
import { createWalletProofs } from './proofs.ts';
import { RevocationLists } from './revocation-lists.ts';
import { createStatusLists } from './status-lists.ts';

const [CRL, STATUSES] = ['https://authority.example/revoked.crl', 'https://issuer.example/list'];
const silence = () => new Promise<never>(() => {});
const SILENT = { [CRL]: silence, [STATUSES]: silence };

/** A proof whose issuer names both kinds of list, on servers that may never respond. */
async function prove(silent: Partial<typeof SILENT>, world: World = 'test') {
  const clock = createManualClock();
  const now = new Date(clock.now());
  const issuer = await createTestIssuer({ profile: 'eu_age', now, revocationLists: [CRL] });
  const server = createStatusServer();
  const statuses = { subject: STATUSES, issuedAt: clock.now() / 1000, compressed: compressStatuses([]) };
  server.serve(CRL, silent[CRL] ?? (() => ({ status: 404 })));
  server.serve(STATUSES, silent[STATUSES] ?? (() => makeStatusJwt(issuer, statuses)));
  const waits: number[] = [];
  const wait = async (ms: number) => {
    waits.push(ms);
  };
  const parts = { clock, outbound: server.outbound, log: { info() {}, warn() {} } };
  const filed = async () => [];
  const revocationLists = new RevocationLists({ ...parts, checks: 'required', filed, wait: silence });
  const proofs = createWalletProofs({
    ...parts,
    anchors: { has: () => true, of: async () => [issuer.anchor] },
    revocationLists,
    statusLists: createStatusLists({ ...parts, revocationLists }),
    signer: () => undefined,
    origin: () => 'https://check.example',
    wait,
  });
  const [link] = await proofs.beginLinks(world, 18, () => 'https://check.example/answer');
  const status = { uri: STATUSES, index: 0 };
  const attestation = await issueAttestation(issuer, { elements: { age_over_18: true }, now, status });
  const { fields } = await answerRequest({ kind: 'link', link: link!.link, requestObject: null }, attestation);
  const judged = await proofs.judge([link!.state], world, { protocol: link!.state.protocol, data: fields });
  return { judged, waits, fault: [...proofs.counts.keys()], fetched: server.fetched };
}

it.each<[string, Partial<typeof SILENT>, string]>([
  ['no list comes', SILENT, 'crl_unavailable'],
  // Lists of the issuer and of the status list's signer.
  ['no list of revoked certificates comes', { [CRL]: silence }, 'crl_unavailable'],
])('waits ten seconds in total if %s', async (_, silent, fault) => {
  const proven = await prove(silent);
  expect(proven).toMatchObject({ judged: { refused: 'not_valid' }, waits: [10_000], fault: [fault] });
  expect(proven.fetched.toSorted()).toEqual([CRL, STATUSES]);
});

it('refuses a test issuer in the live world before any fetch, even if it is trusted', async () => {
  expect(await prove({}, 'live')).toMatchObject({
    judged: { refused: 'not_trusted' },
    fault: ['test_issuer'],
    fetched: [],
  });
});
