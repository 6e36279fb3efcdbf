// Forged, copied, cross-world, reused and insufficient age keys, and keys created without a check.
import { randomBytes } from 'node:crypto';
import type { MakeAgeKeyReply, PasskeyOptionsReply, UseAgeKeyReply } from '@limen/contract';
import { type Authenticator, createAuthenticator } from '../../../../../apps/server/testing/authenticator.ts';
import { CLEAN_BROWSER, newDevice } from '../../../../../apps/server/testing/device.ts';
import { type AttackClass, expectHonest, inTurn } from '../../attack-class.ts';
import { type ClaimedSession, claimAgeSession, coursePassed, sealFor } from '../../course.ts';
import type { Host } from '../../host.ts';
import type { Stage } from '../../stage.ts';
import { breakSignature, createStranger } from './passkeys.ts';

type Options = Parameters<Authenticator['get']>[0] & Parameters<Authenticator['create']>[0];
type Session = Pick<ClaimedSession, 'id' | 'device'>;

export const ACCEPTS = { acceptedProofs: ['age_key'] };
/** A check without light, to save time. */
const DOCUMENT = { ...ACCEPTS, requirements: ['identity_document'] };
export const FACE_AND_DOCUMENT = { ...ACCEPTS, requirements: ['face', 'identity_document'] };

async function optionsOf({ id, device }: Session, operation: string): Promise<Options> {
  const { body } = await device.call<PasskeyOptionsReply>('POST', id, `${operation}/options`, { body: {} });
  return body.publicKey as unknown as Options;
}

export async function useAgeKey(
  stage: Stage,
  host: Host,
  make: (options: Options) => object,
  more: object = {},
): Promise<string> {
  const session = await claimAgeSession(stage, host, { ...ACCEPTS, ...more });
  const response = make(await optionsOf(session, 'age-key'));
  const { status, error, body } = await session.device.call<UseAgeKeyReply>('POST', session.id, 'age-key', {
    body: { response, indicators: CLEAN_BROWSER },
  });
  return `${status} ${error ?? body.reason ?? body.outcome}`;
}

export interface Check {
  body?: object;
  /** Further fields of the device's answer. */
  said?: object;
  address?: string;
}

/** A successful document check at human pace, by a program that reports what it likes. */
export async function passCheck(
  stage: Stage,
  host: Host,
  { body = DOCUMENT, said = {}, address = stage.newAddress() }: Check = {},
): Promise<ClaimedSession> {
  const session = await coursePassed(stage, host, body, address);
  const read = { thresholdResult: 'AGE_ABOVE_THRESHOLD', type: 'passport', country: 'NLD', signs: [] };
  const document = { ...read, matchScore: null, verifiedAt: `${new Date().toISOString().slice(0, 19)}Z` };
  const hasFace = session.plan.steps.some(({ step }) => step === 'face');
  const found = hasFace ? {} : { face: undefined, document };
  await session.device.answer(session.id, await sealFor(session, { ...found, ...said }));
  return session;
}

export async function makeAgeKey(session: Session, authenticator: Authenticator): Promise<string> {
  const asked = await askForAgeKey(session);
  if (!('options' in asked)) return asked.refused;
  const response = authenticator.create(asked.options);
  const { status, error, body } = await session.device.call<MakeAgeKeyReply>('POST', session.id, 'age-key/new', {
    body: { response },
  });
  return `${status} ${error ?? body.outcome}`;
}

async function askForAgeKey({ id, device }: Session): Promise<{ options: Options } | { refused: string }> {
  const { status, error, body } = await device.call<PasskeyOptionsReply>('POST', id, 'age-key/new/options', {
    body: {},
  });
  return error ? { refused: `${status} ${error}` } : { options: body.publicKey as unknown as Options };
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
    expectHonest((await makeAgeKey(await passCheck(stage, host), authenticator)) === '200 made', 'a key is made');
    const copy = authenticator.clone();
    let shown: object = {};
    const remember = (options: Options) => {
      shown = authenticator.get(options);
      return shown;
    };
    expectHonest((await useAgeKey(stage, host, remember)) === '200 accepted', 'the key is taken');
    const wrongly = (wrong: Parameters<Authenticator['get']>[1]) => (options: Options) =>
      authenticator.get(options, wrong);
    const tries: (() => Promise<string>)[] = [
      () => useAgeKey(stage, host, wrongly({ challenge: randomBytes(32).toString('base64url') })),
      () => useAgeKey(stage, host, wrongly({ origin: 'https://evil.example' })),
      () => useAgeKey(stage, host, wrongly({ origin: `${stage.pageOrigin}.evil.example` })),
      () => useAgeKey(stage, host, wrongly({ rpId: 'evil.example' })),
      () => useAgeKey(stage, host, wrongly({ userVerified: false })),
      () => useAgeKey(stage, host, wrongly({ counter: 0 })),
      () => useAgeKey(stage, host, (options) => copy.clone().get(options)),
      () => useAgeKey(stage, host, () => shown),
      () => useAgeKey(stage, host, (options) => createStranger(stage, options)),
      () => useAgeKey(stage, host, (options) => breakSignature(authenticator.get(options))),
      () => useAgeKey(stage, live, (options) => authenticator.get(options)),
      () => useAgeKey(stage, host, (options) => authenticator.get(options), { ageThreshold: 19 }),
      () => useAgeKey(stage, host, (options) => authenticator.get(options), FACE_AND_DOCUMENT),
      () => useAgeKey(stage, host, () => ({})),
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
      passCheck(stage, host, { body: { requirements: ['identity_document'] } }),
    ]);
    const authenticator = createAuthenticator(stage.pageOrigin);
    expectHonest((await makeAgeKey(done, authenticator)) === '200 made', 'a key is made');
    const spent = await claimAgeSession(stage, host, ACCEPTS);
    const response = authenticator.get(await optionsOf(spent, 'age-key'));
    await spent.device.call('POST', spent.id, 'age-key', { body: { response } });
    const ask = async (session: Session) => {
      const asked = await askForAgeKey(session);
      return 'refused' in asked ? asked.refused : 'offered';
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
