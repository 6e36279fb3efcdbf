// Session ids and result tokens: guessed, adjacent to a real one, and interchanged.
import { randomUUID } from 'node:crypto';
import { type AttackClass, expectHonest, inTurn } from '../../attack-class.ts';

export const idsGuessed: AttackClass = {
  name: 'ids-guessed',
  prevents: 'reading a result with a guessed token or with the id from the link, or opening a session with the token',
  promise: 'docs/age-sessions.md',
  needs: 'a test key',
  refusals: ['404 not_found', '400 malformed_request', '400 validation_failed'],
  attempts: 200,
  async begin(stage) {
    const { host, speaker } = stage;
    const { id, token } = await host.openAgeSession();
    const verification = await host.startVerification('ENROLL');
    const get = (path: string) => speaker.send({ method: 'GET', path });
    expectHonest((await get(`/session/${token}/result`)).status === 200, 'the token reads the result');
    expectHonest((await get(`/device/sessions/${id}`)).status === 200, 'the id shows the session');
    const guesses = (round: number): string[] => [
      `/session/${randomUUID()}/result`,
      `/session/${next(token, round + 1)}/result`,
      `/session/${id}/result`,
      `/session/${verification}/result`,
      `/session/${token.toUpperCase()}x/result`,
      `/session/${token}%20/result`,
      `/session/${token}%00/result`,
      `/device/sessions/${token}`,
      `/device/sessions/${randomUUID()}`,
      `/device/sessions/${next(id, round + 1)}`,
      `/device/sessions/${id}'--`,
      '/device/sessions/*',
    ];
    return async (round) => (await get(inTurn(guesses(round), round))).label;
  },
};

/** An id with its last digit changed. */
function next(id: string, by: number): string {
  const last = (Number.parseInt(id.slice(-6), 16) + by) % 0x1000000;
  return id.slice(0, -6) + last.toString(16).padStart(6, '0');
}
