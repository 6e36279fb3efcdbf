// Forwarded links and QR codes: someone else proves their age, and the session's holder wants more
// than the one result.
import { randomBytes } from 'node:crypto';
import type { PasskeyOptionsReply, UseWalletReply, WalletLinkReply } from '@limen/contract';
import { systemClock } from '../../../../../apps/server/src/platform/base/clock.ts';
import { CLEAN_BROWSER, newDevice } from '../../../../../apps/server/testing/device.ts';
import { createTestWallet, type TestWallet } from '../../../../../apps/server/testing/test-wallet.ts';
import { type AttackClass, expectHonest, inTurn } from '../../attack-class.ts';
import { type ClaimedSession, claimAgeSession } from '../../course.ts';
import type { Host } from '../../host.ts';
import type { Stage } from '../../stage.ts';

const ACCEPTS = { acceptedProofs: ['wallet', 'age_key'] };
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

type Session = Pick<ClaimedSession, 'id' | 'device' | 'token'>;

interface Passed extends Session {
  /** Code in the responding person's own browser. None after a QR code. */
  code: string | undefined;
}

/** A session whose code or link was answered by someone with a wallet elsewhere. */
async function passOn(stage: Stage, host: Host, wallet: TestWallet, way: 'code' | 'link'): Promise<Passed> {
  const session = await claimAgeSession(stage, host, ACCEPTS);
  const asked = await session.device.call<WalletLinkReply>('POST', session.id, 'wallet/link', {
    body: { sameDevice: way === 'link', indicators: CLEAN_BROWSER },
  });
  const links = asked.body.links.map((link) => ({
    ...link,
    link: (way === 'link' && link.sameDeviceLink) || link.link,
  }));
  const { path, form } = await wallet.answerLink({ ...asked.body, links });
  const call = { method: 'POST', path, headers: FORM, body: form.toString(), from: stage.newAddress() };
  const { redirect_uri: back = '' } = (await stage.speaker.send(call)).json<{ redirect_uri?: string }>();
  return { ...session, code: /response_code=([\w-]+)$/.exec(back)?.[1] };
}

async function finish({ id, device }: Pick<Session, 'id' | 'device'>, responseCode: string): Promise<string> {
  const { status, error, body } = await device.call<UseWalletReply>('POST', id, 'wallet/link/finish', {
    body: { responseCode },
  });
  return `${status} ${error ?? body.reason ?? body.outcome}`;
}

async function askForKey({ id, device }: Session): Promise<string> {
  const { status, error } = await device.call<PasskeyOptionsReply>('POST', id, 'age-key/new/options', { body: {} });
  return `${status} ${error ?? 'offered'}`;
}

export const walletLinksPassedOn: AttackClass = {
  name: 'wallet-links-passed-on',
  prevents:
    'an age key by the wallet of somebody who scanned a code, and a session that ends by a link that somebody else opened, with a code that is guessed, of another session, or used by another device',
  promise: 'docs/proofs.md#links-and-qr-codes',
  needs: 'many keys',
  refusals: ['403 forbidden', '200 not_valid', '403 device_mismatch', 'no end'],
  attempts: 60,
  async begin(stage) {
    const host = await stage.newHost();
    const storage = { dataDir: stage.folder, url: undefined };
    const wallet = createTestWallet({ storage, clock: systemClock, origin: new URL(stage.url).origin });
    const pass = (way: 'code' | 'link') => passOn(stage, host, wallet, way);

    const scanned = await pass('code');
    expectHonest((await host.ageResult(scanned.token)).flowStatus === 'COMPLETED', 'a code ends its session');
    const returned = await pass('link');
    expectHonest((await finish(returned, returned.code ?? '')) === '200 accepted', 'who comes back ends the session');
    expectHonest((await askForKey(returned)) === '200 offered', 'and is offered an age key');

    const guess = () => randomBytes(32).toString('base64url');
    const tries: (() => Promise<string>)[] = [
      () => askForKey(scanned),
      async () => askForKey(await pass('code')),
      async () => finish(await pass('link'), guess()),
      // The code that ended one session, used in another.
      async () => finish(await pass('link'), returned.code ?? ''),
      async () => finish(await pass('link'), (await pass('link')).code ?? ''),
      // The responding person's device, which has the code but not the session.
      async () => {
        const { id, code = '' } = await pass('link');
        return finish({ id, device: await newDevice(stage.speaker.door, stage.newAddress()) }, code);
      },
      // No one came back.
      async () => (await host.ageResult((await pass('link')).token)).flowStatus ?? 'no end',
    ];
    return (round) => inTurn(tries, round)();
  },
};
