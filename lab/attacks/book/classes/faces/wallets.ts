// Forged and replayed wallet responses, responses for another session or page, and the test issuer
// with a live key.
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { UseWalletReply, WalletOptionsReply } from '@limen/contract';
import { writeAnchor } from '@limen/wallet';
import { createTestIssuer } from '@limen/wallet/test-issuer';
import { systemClock } from '../../../../../apps/server/src/platform/base/clock.ts';
import { createTestWallet, type ShownAttestation } from '../../../../../apps/server/testing/test-wallet.ts';
import { type AttackClass, expectHonest, inTurn } from '../../attack-class.ts';
import { claimAgeSession, humanPause } from '../../course.ts';
import type { Host } from '../../host.ts';
import type { Stage } from '../../stage.ts';

const ACCEPTS = { acceptedProofs: ['wallet'] };
const PATIENT_LOOKS = 100;

interface Answer {
  protocol: string;
  data: Record<string, unknown>;
}

async function use(
  stage: Stage,
  host: Host,
  make: (asked: WalletOptionsReply) => Answer | Promise<Answer>,
): Promise<string> {
  const { id, device } = await claimAgeSession(stage, host, ACCEPTS);
  const asked = await device.call<WalletOptionsReply>('POST', id, 'wallet/options', { body: {} });
  if (asked.error) return `${asked.status} ${asked.error}`;
  const body = await make(asked.body);
  const { status, error, body: reply } = await device.call<UseWalletReply>('POST', id, 'wallet', { body });
  return `${status} ${error ?? reply.reason ?? reply.outcome}`;
}

/** The live world trusts one state, so that wallets are requested, but not the test issuer. */
async function trustState(stage: Stage, live: Host): Promise<void> {
  const state = await createTestIssuer({ profile: 'eu_age', now: new Date(), country: 'NL' });
  const folder = join(stage.folder, 'trust', 'eu_age');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'state.pem'), writeAnchor(state.anchor));
  const decline = () => use(stage, live, () => ({ protocol: 'org-iso-mdoc', data: { error: 'access_denied' } }));
  // The service checks the folder every two seconds.
  for (let looks = 0; (await decline()) !== '200 declined'; looks++) {
    expectHonest(looks < PATIENT_LOOKS, 'the issuer of the folder is trusted');
    await humanPause(1);
  }
}

export const walletsForged: AttackClass = {
  name: 'wallets-forged',
  prevents:
    'an age proven by an answer that is forged, replayed, of another session or page, or of the test issuer on a live key',
  promise: 'docs/proofs.md#wallets',
  needs: 'many keys',
  refusals: ['200 not_valid', '200 no_age', '200 not_trusted', '200 ended', '200 declined'],
  attempts: 100,
  async begin(stage) {
    const [host, live] = [await stage.newHost(), await stage.newHost({ kind: 'live' })];
    await trustState(stage, live);
    const wallet = createTestWallet({
      storage: { dataDir: stage.folder, url: undefined },
      clock: systemClock,
      origin: new URL(stage.url).origin,
    });
    const stranger = await createTestIssuer({ profile: 'eu_age', now: new Date() });
    const showing = (shown: ShownAttestation) => (asked: WalletOptionsReply) => wallet.answer(asked, shown);
    let shown: Answer = { protocol: '', data: {} };
    const honest = await use(stage, host, async (asked) => {
      shown = await wallet.answer(asked);
      return shown;
    });
    expectHonest(honest === '200 accepted', 'the wallet is taken');
    const noise = (bytes: number) => ({ response: randomBytes(bytes).toString('base64url') });
    const tries: (() => Promise<string>)[] = [
      () => use(stage, host, () => shown),
      () => use(stage, live, () => shown),
      () => use(stage, live, showing({})),
      () => use(stage, host, showing({ issuer: stranger })),
      () => use(stage, host, showing({ elements: { age_over_18: false } })),
      () => use(stage, host, showing({ elements: { age_over_18: 'true' } })),
      () => use(stage, host, showing({ elements: { age_over_65: true } })),
      () => use(stage, host, showing({ issuedDaysAgo: 40 })),
      () => use(stage, host, showing({ conduct: { origin: `${stage.url}.evil.example` } })),
      () => use(stage, host, async (asked) => ({ ...(await wallet.answer(asked)), protocol: 'openid4vp-v1-unsigned' })),
      () => use(stage, host, () => ({ protocol: 'org-iso-mdoc', data: noise(200) })),
      () => use(stage, host, () => ({ protocol: 'org-iso-mdoc', data: { error: 'access_denied', ...noise(20) } })),
      () => use(stage, host, () => ({ protocol: 'none', data: {} })),
    ];
    return (round) => inTurn(tries, round)();
  },
};
