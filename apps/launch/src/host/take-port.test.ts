import { describe, expect, it } from 'vitest';
import { takePort } from './take-port.ts';

const SHOP = 'https://shop.example';

/** Creates a window in a frame. `offer` returns what happened to the port. */
function openFrame(origins: Promise<readonly string[]> = Promise.resolve([SHOP])) {
  const parent = {};
  let listener: ((event: MessageEvent<unknown>) => void) | undefined;
  const addEventListener = (_: 'message', added: typeof listener) => {
    listener = added;
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

describe('takePort', () => {
  it('takes the port of the embedding page if the key names its origin', async () => {
    const frame = openFrame();
    expect(await frame.offer({ data: { limen: 'connect', mode: 'modal', redirect: true } })).toBe('taken');
    expect(await frame.taking).toMatchObject({ mode: 'modal', redirect: true });
  });

  it.each([
    ['wrong parent: an origin that the key does not name', { origin: 'https://shop.example.evil.example' }, 'closed'],
    ['wrong parent: one without an origin', { origin: 'null' }, 'closed'],
    ['port theft: a sibling frame, even of that origin', { source: {} }, 'left alone'],
    ['message forgery: anything else', { data: { type: 'cancel' } }, 'left alone'],
    ['message forgery: nothing', { data: null }, 'left alone'],
  ])('rejects the port of a %s', async (_, event, outcome) => {
    const frame = openFrame();
    expect(await frame.offer(event)).toBe(outcome);
    expect(await frame.offer()).toBe('taken');
  });

  it('double handshake: takes only one port', async () => {
    const frame = openFrame();
    expect(await frame.offer()).toBe('taken');
    expect(await frame.offer()).toBe('closed');
  });

  it('double handshake: takes the first of two ports that wait for the origins', async () => {
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

  it('takes no port if the key names no origin', async () => {
    expect(await openFrame(Promise.resolve([])).offer()).toBe('closed');
  });
});
