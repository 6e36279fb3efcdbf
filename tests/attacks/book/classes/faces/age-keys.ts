// Age keys that are forged, copied, of the other world, used before or for too little; and keys made without a check.
import { randomBytes } from 'node:crypto';
import type { MakeAgeKeyReply, PasskeyOptionsReply, UseAgeKeyReply } from '@limen/contract';
import { type Authenticator, createAuthenticator } from '../../../../../apps/server/testing/authenticator.ts';
import { newDevice } from '../../../../../apps/server/testing/device.ts';
import { type AttackClass, expectHonest, inTurn } from '../../attack-class.ts';
import { type ClaimedSession, claimAgeSession, courseReported, humanPause, sealFor } from '../../course.ts';
import type { Host } from '../../host.ts';
import type { Stage } from '../../stage.ts';
import { breakSignature, createStranger } from './passkeys.ts';

type Options = Parameters<Authenticator['get']>[0] & Parameters<Authenticator['create']>[0];
type Session = Pick<ClaimedSession, 'id' | 'device'>;

const ACCEPTS = { acceptedProofs: ['age_key'] };

async function optionsOf({ id, device }: Session, operation: string): Promise<Options> {
  const { body } = await device.call<PasskeyOptionsReply>('POST', id, `${operation}/options`, { body: {} });
  return body.publicKey as unknown as Options;
}

async function use(stage: Stage, host: Host, make: (options: Options) => object, more: object = {}): Promise<string> {
  const session = await claimAgeSession(stage, host, { ...ACCEPTS, ...more });
  const response = make(await optionsOf(session, 'age-key'));
  const { status, error, body } = await session.device.call<UseAgeKeyReply>('POST', session.id, 'age-key', {
    body: { response },
  });
  return `${status} ${error ?? body.reason ?? body.outcome}`;
}

/** A face check that ends well, at the pace of a person. */
async function passCheck(stage: Stage, host: Host, body: object = ACCEPTS): Promise<ClaimedSession> {
  const session = await courseReported(stage, host, body);
  await humanPause(1);
  await session.device.answer(session.id, await sealFor(session));
  return session;
}

async function make(session: Session, authenticator: Authenticator): Promise<string> {
  const response = authenticator.create(await optionsOf(session, 'age-key/new'));
  const { status, error, body } = await session.device.call<MakeAgeKeyReply>('POST', session.id, 'age-key/new', {
    body: { response },
  });
  return `${status} ${error ?? body.outcome}`;
}

export const ageKeysForged: AttackClass = {
  name: 'age-keys-forged',
  prevents:
    'an age proven by a key that is forged, copied, replayed, of the other world, or worth less than the host asks for',
  promise: 'docs/proofs.md#age-keys',
  needs: 'many keys',
  refusals: ['200 not_valid', '200 not_known', '200 too_low', '200 too_weak', '400 validation_failed'],
  attempts: 100,
  async begin(stage) {
    const [host, live] = [await stage.newHost(), await stage.newHost({ kind: 'live' })];
    const authenticator = createAuthenticator(stage.pageOrigin);
    expectHonest((await make(await passCheck(stage, host), authenticator)) === '200 made', 'a key is made');
    const copy = authenticator.clone();
    let shown: object = {};
    const remember = (options: Options) => {
      shown = authenticator.get(options);
      return shown;
    };
    expectHonest((await use(stage, host, remember)) === '200 accepted', 'the key is taken');
    const wrongly = (wrong: Parameters<Authenticator['get']>[1]) => (options: Options) =>
      authenticator.get(options, wrong);
    const tries: (() => Promise<string>)[] = [
      () => use(stage, host, wrongly({ challenge: randomBytes(32).toString('base64url') })),
      () => use(stage, host, wrongly({ origin: 'https://evil.example' })),
      () => use(stage, host, wrongly({ origin: `${stage.pageOrigin}.evil.example` })),
      () => use(stage, host, wrongly({ rpId: 'evil.example' })),
      () => use(stage, host, wrongly({ userVerified: false })),
      () => use(stage, host, wrongly({ counter: 0 })),
      () => use(stage, host, (options) => copy.clone().get(options)),
      () => use(stage, host, () => shown),
      () => use(stage, host, (options) => createStranger(stage, options)),
      () => use(stage, host, (options) => breakSignature(authenticator.get(options))),
      () => use(stage, live, (options) => authenticator.get(options)),
      () => use(stage, host, (options) => authenticator.get(options), { ageThreshold: 19 }),
      () => use(stage, host, (options) => authenticator.get(options), { requirements: ['identity_document'] }),
      () => use(stage, host, () => ({})),
    ];
    return (round) => inTurn(tries, round)();
  },
};

export const ageKeysUnearned: AttackClass = {
  name: 'age-keys-unearned',
  prevents: 'an age key without a check that ended well, a second one for the same check, or one for another device',
  promise: 'docs/proofs.md#age-keys',
  needs: 'a test key',
  refusals: ['403 forbidden', '403 device_mismatch', '404 not_found'],
  attempts: 50,
  async begin(stage) {
    const { host } = stage;
    const [done, waiting, refuses] = await Promise.all([
      passCheck(stage, host),
      passCheck(stage, host),
      passCheck(stage, host, {}),
    ]);
    const authenticator = createAuthenticator(stage.pageOrigin);
    expectHonest((await make(done, authenticator)) === '200 made', 'a key is made');
    const spent = await claimAgeSession(stage, host, ACCEPTS);
    const response = authenticator.get(await optionsOf(spent, 'age-key'));
    await spent.device.call('POST', spent.id, 'age-key', { body: { response } });
    const ask = async ({ id, device }: Session) => {
      const { status, error, body } = await device.call<PasskeyOptionsReply>('POST', id, 'age-key/new/options', {
        body: {},
      });
      return `${status} ${error ?? (body.publicKey ? 'offered' : '')}`;
    };
    const tries: (() => Promise<string>)[] = [
      () => ask(done),
      () => ask(refuses),
      () => ask(spent),
      async () => ask(await claimAgeSession(stage, host, ACCEPTS)),
      async () => ask({ id: waiting.id, device: await newDevice(stage.speaker.door, stage.newAddress()) }),
      async () => {
        const sessionId = await host.startVerification('SIGN-IN');
        const device = await newDevice(stage.speaker.door, stage.newAddress());
        await device.claim(sessionId);
        return ask({ id: sessionId, device });
      },
    ];
    return (round) => inTurn(tries, round)();
  },
};
