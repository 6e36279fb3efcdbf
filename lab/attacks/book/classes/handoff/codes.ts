// Taking over a session without a handoff: guessed, used and replaced codes, wrong numbers, third
// devices.
import { randomBytes } from 'node:crypto';
import { newDevice } from '../../../../../apps/server/testing/device.ts';
import { type AttackClass, expectHonest, inTurn } from '../../attack-class.ts';
import { claimAgeSession, courseReported, labelOf, offerHandoff, sealFor } from '../../course.ts';

const common = { promise: 'docs/device-protocol.md#handoff', needs: 'a test key', attempts: 100 } as const;

export const handoffCodesGuessed: AttackClass = {
  ...common,
  name: 'handoff-codes-guessed',
  prevents: 'a device that takes over a session with a guessed, used or replaced code',
  refusals: ['403 handoff_code_refused', '400 validation_failed'],
  async begin(stage) {
    const door = stage.speaker.door;
    const session = await claimAgeSession(stage, stage.host);
    const second = await newDevice(door, stage.newAddress());
    const used = await offerHandoff(session.device, session.id);
    expectHonest((await second.claim(session.id, used)).status === 200, 'the right code and number are taken');
    const other = await claimAgeSession(stage, stage.host);
    const replaced = await offerHandoff(other.device, other.id);
    const current = await offerHandoff(other.device, other.id);
    const { number } = current;
    const codes = (): string[] => [
      randomBytes(16).toString('base64url'),
      Buffer.alloc(16).toString('base64url'),
      replaced.code,
      used.code,
      current.code.toLowerCase() === current.code ? current.code.toUpperCase() : current.code.toLowerCase(),
      current.code.slice(0, -1),
      `${current.code}A`,
      '',
    ];
    return async (round) => {
      const thief = await newDevice(door, stage.newAddress());
      const code = inTurn(codes(), round >> 1);
      return labelOf(
        round % 2 === 0 ? await thief.claim(other.id, { code, number }) : await thief.look(other.id, code),
      );
    };
  },
};

export const handoffNumbersWrong: AttackClass = {
  ...common,
  name: 'handoff-numbers-wrong',
  prevents: 'somebody who has a handoff link but not the number on the first screen, and tries all three choices',
  refusals: ['403 handoff_number_refused, then 403 handoff_code_refused', '400 validation_failed, and it stands'],
  async begin(stage) {
    return async (round) => {
      const session = await claimAgeSession(stage, stage.host);
      const thief = await newDevice(stage.speaker.door, stage.newAddress());
      const { code, number } = await offerHandoff(session.device, session.id);
      if (round % 4 === 3) {
        const refusal = labelOf(await thief.claim(session.id, { code }));
        const stands = (await thief.claim(session.id, { code, number })).status === 200;
        return `${refusal}${stands ? ', and it stands' : ''}`;
      }
      const { choices } = (await thief.look(session.id, code)).body;
      const wrong =
        round % 4 === 0 ? String(10 + ((Number(number) + 7) % 90)) : choices.find((choice) => choice !== number)!;
      const first = labelOf(await thief.claim(session.id, { code, number: wrong }));
      return `${first}, then ${labelOf(await thief.claim(session.id, { code, number }))}`;
    };
  },
};

export const thirdDevices: AttackClass = {
  ...common,
  name: 'third-devices',
  prevents: 'a session on more than two devices, and a device that answers after it has handed the session on',
  refusals: ['403 third_device', '403 device_mismatch'],
  async begin(stage) {
    const door = stage.speaker.door;
    const session = await courseReported(stage, stage.host);
    const envelope = await sealFor(session);
    const second = await newDevice(door, stage.newAddress());
    const offer = await offerHandoff(session.device, session.id);
    expectHonest((await second.claim(session.id, offer)).status === 200, 'the second device takes over');
    const next = await offerHandoff(second, session.id);
    return async (round) => {
      const third = await newDevice(door, stage.newAddress());
      return inTurn<() => Promise<string>>(
        [
          async () => labelOf(await third.claim(session.id, next)),
          async () => labelOf(await third.look(session.id, next.code)),
          async () => labelOf(await third.answer(session.id, envelope)),
          async () => labelOf(await session.device.answer(session.id, envelope)),
          async () => labelOf(await session.device.cancel(session.id)),
        ],
        round,
      )();
    };
  },
};

export const handoffsNotAllowed: AttackClass = {
  ...common,
  name: 'handoffs-not-allowed',
  prevents: 'a handoff of a session whose host does not allow it',
  promise: 'docs/sign-in.md',
  refusals: ['403 forbidden'],
  async begin(stage) {
    const session = await claimAgeSession(stage, stage.host, { handoff: 'refuse' });
    expectHonest((await session.device.view(session.id)).body.handoff === 'refused', 'the page is told so');
    return async () => labelOf(await session.device.handoff(session.id));
  },
};
