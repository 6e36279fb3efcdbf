// The handshake of a page in a frame: who may offer it a port, and how often.
import { describe, expect, it } from 'vitest';
import { takePort } from './take-port.ts';

const SHOP = 'https://shop.example';

/** A window in a frame; `offer` says whether the port was taken, left alone or closed. */
function openFrame(origins: Promise<readonly string[]> = Promise.resolve([SHOP])) {
  const parent = {};
  let listener: ((event: MessageEvent<unknown>) => void) | undefined;
  const addEventListener = (_: 'message', given: typeof listener) => {
    listener = given;
  };
  const taking = takePort({ parent, addEventListener }, origins);
  let taken: MessagePort | undefined;
  void taking.then(({ port }) => {
    taken = port;
  });
  return {
    taking,
    async offer(given: Partial<Pick<MessageEvent<unknown>, 'data' | 'origin'>> & { source?: unknown } = {}) {
      const port = {
        isClosed: false,
        close() {
          this.isClosed = true;
        },
      };
      const event = { data: { limen: 'connect', mode: 'inline' }, source: parent, origin: SHOP, ...given };
      listener?.({ ...event, ports: [port] } as unknown as MessageEvent<unknown>);
      await new Promise(setImmediate);
      return (taken as unknown) === port ? 'taken' : port.isClosed ? 'closed' : 'left alone';
    },
  };
}

describe('the port of a page in a frame', () => {
  it('is taken from the page around it, if the key names its origin', async () => {
    const frame = openFrame();
    expect(await frame.offer({ data: { limen: 'connect', mode: 'modal', redirect: true } })).toBe('taken');
    expect(await frame.taking).toMatchObject({ mode: 'modal', redirect: true });
  });

  it.each([
    ['wrong parent: an origin that the key does not name', { origin: 'https://shop.example.evil.example' }, 'closed'],
    ['wrong parent: one without an origin', { origin: 'null' }, 'closed'],
    ['port theft: a frame beside it, even of that origin', { source: {} }, 'left alone'],
    ['message forgery: anything else', { data: { type: 'cancel' } }, 'left alone'],
    ['message forgery: nothing', { data: null }, 'left alone'],
  ])('is not taken from %s', async (_, event, outcome) => {
    const frame = openFrame();
    expect(await frame.offer(event)).toBe(outcome);
    expect(await frame.offer()).toBe('taken');
  });

  it('double handshake: is taken once, whoever offers another', async () => {
    const frame = openFrame();
    expect(await frame.offer()).toBe('taken');
    expect(await frame.offer()).toBe('closed');
  });

  it('double handshake: of two that wait for the origins, the first is taken', async () => {
    let know = (_: readonly string[]) => {};
    const frame = openFrame(
      new Promise((resolve) => {
        know = resolve;
      }),
    );
    const early = [frame.offer({ origin: 'https://evil.example' }), frame.offer(), frame.offer()];
    know([SHOP]);
    expect(await Promise.all(early)).toEqual(['closed', 'taken', 'closed']);
  });

  it('is taken from nobody where nobody is named', async () => {
    expect(await openFrame(Promise.resolve([])).offer()).toBe('closed');
  });
});
