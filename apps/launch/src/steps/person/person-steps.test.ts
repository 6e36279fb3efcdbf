import { describe, expect, test } from 'vitest';
import { settle } from '../../../testing/fakes/fake-flow.ts';
import { createFakePasskeys } from '../../../testing/fakes/fake-people.ts';
import type { Screen, TypedContact } from '../../course/screens.ts';
import { runContactStep } from './contact-step.ts';
import { type PasskeyStepOptions, runPasskeyStep } from './passkey-step.ts';

function startPasskey(changes: Partial<PasskeyStepOptions> = {}, course: Partial<PasskeyStepOptions['course']> = {}) {
  const screens: Screen[] = [];
  const log: string[] = [];
  const passkeys = createFakePasskeys();
  const run = () =>
    runPasskeyStep({
      step: { step: 'passkey', when: 'always', operation: 'register' },
      course: {
        index: 2,
        standing: undefined,
        record: (event, index) => void log.push(`${event} ${index}`),
        ...course,
      },
      isAccepted: false,
      canUsePhone: false,
      passkeys: {
        ...passkeys,
        isSupported: passkeys.isSupported,
        ask: (...question) => passkeys.ask(...question).catch(() => null),
      },
      service: {
        passkeyOptions: async () => ({ publicKey: {} }),
        sendPasskey: async () => ({ outcome: 'accepted', triesLeft: 2 }),
      },
      choose: async () => undefined,
      show: (screen) => void screens.push(screen),
      ...changes,
    });
  const states = () => screens.map((screen) => (screen.name === 'passkey' ? screen.state : screen.name));
  return { run, passkeys, states, log };
}

describe('the passkey step', () => {
  test('explains, prompts, and has the service verify', async () => {
    const { run, passkeys, states, log } = startPasskey();
    await run();
    expect(states()).toEqual(['explain', 'asking', 'working']);
    expect([passkeys.asked, log]).toEqual([['register'], ['started 2']]);
  });

  test('prompts again after a closed prompt, without using up a try or new options', async () => {
    let issued = 0;
    const passkeyOptions = async () => {
      issued += 1;
      return { publicKey: {} };
    };
    const sendPasskey = async () => ({ outcome: 'accepted' as const, triesLeft: 2 });
    const { run, passkeys, states } = startPasskey({ service: { passkeyOptions, sendPasskey } });
    passkeys.close(4);
    await run();
    expect([passkeys.asked.length, issued]).toEqual([5, 1]);
    expect(states().filter((state) => state === 'closed')).toHaveLength(4);
  });

  test('shows a refusal, and ends with the last one', async () => {
    const left = [2, 1, 0];
    const sendPasskey = async () => ({ outcome: 'refused' as const, triesLeft: left.shift()! });
    const { run, states } = startPasskey({ service: { passkeyOptions: async () => ({ publicKey: {} }), sendPasskey } });
    await expect(run()).rejects.toMatchObject({ problem: 'passkey', isFinal: true });
    expect(states().filter((state) => state === 'refused')).toHaveLength(2);
  });

  test('fetches the options before the press, so that the prompt follows directly', async () => {
    const order: string[] = [];
    const { run, passkeys } = startPasskey({
      service: {
        async passkeyOptions() {
          order.push('options');
          return { publicKey: {} };
        },
        sendPasskey: async () => ({ outcome: 'accepted', triesLeft: 2 }),
      },
      choose: async () => void order.push('press'),
    });
    await run();
    expect([order, passkeys.asked]).toEqual([['options', 'press'], ['register']]);
  });

  test('waits in a browser without passkeys', async () => {
    const { run, passkeys, states } = startPasskey({ choose: () => new Promise(() => undefined) });
    passkeys.isThere = false;
    let isOver = false;
    void run().then(() => {
      isOver = true;
    });
    await settle();
    expect([states(), isOver]).toEqual([['unsupported'], false]);
  });

  test('does not prompt again for an accepted passkey', async () => {
    const { run, passkeys, states, log } = startPasskey({ isAccepted: true }, { standing: 'finished' });
    await run();
    expect([states(), passkeys.asked, log]).toEqual([[], [], ['retried 2']]);
  });
});

describe('the contact step', () => {
  async function give(...typed: TypedContact[]) {
    const screens: Screen[] = [];
    const contact = await runContactStep({
      step: { step: 'contact', when: 'always', fields: ['email', 'phone'] },
      course: { index: 1, standing: undefined, record: () => undefined },
      choose: async () => typed.shift()!,
      show: (screen) => void screens.push(screen),
    });
    return { contact, faults: screens.map((screen) => (screen.name === 'contact' ? screen.faults : null)) };
  }

  test('accepts the details', async () => {
    const { contact } = await give({ email: 'name@example.org', phone: '' });
    expect(contact).toEqual({ email: 'name@example.org' });
  });

  test('shows faults until the details are valid', async () => {
    const { contact, faults } = await give(
      { email: 'name' },
      { email: 'name', phone: '12' },
      { phone: '+46701740605' },
    );
    expect(faults).toEqual([[], ['email'], ['email', 'phone']]);
    expect(contact).toEqual({ phone: '+46701740605' });
  });

  test('can be skipped', async () => {
    expect((await give({})).contact).toEqual({});
  });
});
