// Simulating the outcome of a live session, which only the test world allows.
import { type AttackClass, expectHonest, inTurn } from '../../attack-class.ts';

export const liveKeyInTestMode: AttackClass = {
  name: 'live-key-in-test-mode',
  prevents: 'a live session whose outcome is chosen instead of captured',
  promise: 'docs/age-sessions.md',
  needs: 'many keys',
  refusals: ['403 forbidden'],
  attempts: 100,
  async begin(stage) {
    const live = await stage.newHost({ kind: 'live' });
    const { token } = await live.openAgeSession();
    const id = await live.startVerification('ENROLL');
    expectHonest((await live.ageResult(token)).flowStatus === undefined, 'the session is open');
    const tries: [path: string, body: object][] = [
      ...['above', 'at', 'below', 'spoof', 'cancelled'].map((outcome): [string, object] => [
        `/session/${token}/simulate`,
        { outcome },
      ]),
      ...['success', 'spoof', 'not_recognized'].map((outcome): [string, object] => [
        `/v2/verification-session/${id}/simulate`,
        { outcome },
      ]),
    ];
    return async (round) => (await live.call('POST', ...inTurn(tries, round))).label;
  },
};
