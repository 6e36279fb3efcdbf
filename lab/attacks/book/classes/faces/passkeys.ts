// Passkeys of other people or pages, replayed, copied, or used without the person.
import { randomBytes } from 'node:crypto';
import { type Authenticator, createAuthenticator } from '../../../../../apps/server/testing/authenticator.ts';
import type { Capture } from '../../../../../apps/server/testing/verification-device.ts';
import { type AttackClass, expectHonest, inTurn } from '../../attack-class.ts';
import { enrollWithPasskey, hold, WITH_PASSKEY } from '../../people.ts';
import type { Stage } from '../../stage.ts';

type Options = Parameters<Authenticator['get']>[0];

export const passkeysForged: AttackClass = {
  name: 'passkeys-forged',
  prevents:
    'a passkey response for another person, challenge, origin or domain, one that did not verify the person, or a copy',
  promise: 'docs/sign-in.md#passkeys',
  needs: 'many keys',
  refusals: ['200 refused', '400 validation_failed', '409 step_not_running'],
  attempts: 100,
  async begin(stage) {
    const host = await stage.newHost();
    const [ann, eve] = [
      await enrollWithPasskey(stage, host, { atOnce: true }),
      await enrollWithPasskey(stage, host, { atOnce: true }),
    ];
    const copy = ann.authenticator.clone();
    const start = async (more: object = {}) => {
      const session = await hold(
        stage,
        await host.startVerification('userId' in more ? 'VERIFY' : 'SIGN-IN', { ...WITH_PASSKEY, ...more }),
      );
      await session.reach('passkey');
      return session;
    };
    const optionsOf = async (session: Capture) => (await session.passkeyOptions()).body.publicKey as unknown as Options;
    const honest = await start();
    const assertion = ann.authenticator.get(await optionsOf(honest));
    expectHonest((await honest.passkey(assertion)).body.outcome === 'accepted', 'the person’s own passkey is taken');
    const send = async (make: (options: Options) => object, more: object = {}) => {
      const session = await start(more);
      const { status, error, body } = await session.passkey(make(await optionsOf(session)));
      return `${status} ${error ?? body.outcome}`;
    };
    const authenticator = ann.authenticator;
    const tries: (() => Promise<string>)[] = [
      () => send((options) => authenticator.get(options, { challenge: randomBytes(32).toString('base64url') })),
      () => send((options) => authenticator.get(options, { origin: 'https://evil.example' })),
      () => send((options) => authenticator.get(options, { origin: `${stage.pageOrigin}.evil.example` })),
      () => send((options) => authenticator.get(options, { rpId: 'evil.example' })),
      () => send((options) => authenticator.get(options, { userVerified: false })),
      () => send((options) => authenticator.get(options, { counter: 0 })),
      () => send((options) => copy.clone().get(options)),
      () => send(() => assertion),
      () => send((options) => createStranger(stage, options)),
      () => send((options) => eve.authenticator.get(options), { userId: ann.puid }),
      () => send((options) => breakSignature(authenticator.get(options))),
      () => send(() => ({})),
    ];
    return (round) => inTurn(tries, round)();
  },
};

/** A passkey that was never registered here. */
export function createStranger(stage: Stage, options: Options): object {
  const stranger = createAuthenticator(stage.pageOrigin);
  stranger.create({
    rp: { id: options.rpId!, name: 'x' },
    user: { id: 'AAAA', name: 'x', displayName: 'x' },
    challenge: options.challenge,
    pubKeyCredParams: [],
  });
  return stranger.get(options);
}

export function breakSignature(assertion: ReturnType<Authenticator['get']>): object {
  const signature = Buffer.from(assertion.response.signature, 'base64url');
  signature[signature.length - 1]! ^= 1;
  return { ...assertion, response: { ...assertion.response, signature: signature.toString('base64url') } };
}
