// The connection between service and key-holder: authentication, refusals and reconnection.

import { connect as connectPlain } from 'node:net';
import { connect } from 'node:tls';
import { PATIENCE } from '@limen/testing/patience.ts';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { ask, epochOf, makeToken, randomVector, search } from '#testing/faces/faces.ts';
import { type LocalKeyHolder, openLocalKeyHolder } from '#testing/faces/local-key-holder.ts';
import { createAnswerCall } from './answer-call.ts';
import { type KeyHolder, KeyHolderUnavailableError } from './link/calls.ts';
import { encodeFrame, MAX_FRAME_BYTES } from './link/frames.ts';
import { keyHolderOver } from './link/link.ts';
import { TlsLink } from './link/tls.ts';
import { clientTls } from './link/tls-channel.ts';
import { listenForService, type TlsServer } from './tls-server.ts';

const secret = 'a-secret-of-at-least-32-characters';
const log = pino({ level: 'silent' });
let local: LocalKeyHolder;
let server: TlsServer;

beforeAll(async () => {
  local = await openLocalKeyHolder();
  server = await listen(0);
});
afterAll(async () => {
  await server.close();
  await local.close();
});

function listen(port: number, withSecret: string | string[] = secret, to = log, holder: KeyHolder = local) {
  const answer = createAnswerCall(holder, () => {});
  return listenForService({ host: '127.0.0.1', port, secrets: [withSecret].flat(), answer, log: to });
}

const urlOf = ({ port }: Pick<TlsServer, 'port'>) => `tls://127.0.0.1:${port}`;

function reach(withSecret = secret, port = server.port): KeyHolder {
  return reachAny({ urls: [urlOf({ port })], secrets: [withSecret] });
}

function reachAny(options: Omit<ConstructorParameters<typeof TlsLink>[0], 'log'>): KeyHolder {
  const holder = keyHolderOver(new TlsLink({ ...options, log }));
  onTestFinished(() => holder.close());
  return holder;
}

/** A connection that proves the secret and then sends arbitrary bytes. */
async function rawConnection() {
  const socket = connect({ ...clientTls(secret), host: '127.0.0.1', port: server.port });
  socket.on('error', () => {});
  await new Promise((resolve) => socket.once('secureConnect', resolve));
  onTestFinished(() => void socket.destroy());
  return { socket, closed: new Promise((resolve) => socket.once('close', resolve)) };
}

describe('a client with the secret', () => {
  it('gets concurrent answers', async () => {
    const holder = reach();
    const epochs = await Promise.all(['a', 'b', 'c', 'd'].map((customer) => epochOf(holder, customer)));
    expect(new Set(epochs).size).toBe(4);
    expect(await epochOf(holder, 'a')).toBe(epochs[0]);
    expect(holder.state()).toBe('ready');
  });

  it('receives refusals as typed errors', async () => {
    const holder = reach();
    await expect(holder.finish('A'.repeat(22))).rejects.toMatchObject({
      name: 'ChallengeRefusedError',
      reason: 'unknown',
    });
    await expect(holder.rotate('nobody')).rejects.toMatchObject({ name: 'UnknownEpochError' });
  });

  it('shares the server, and a challenge may be finished by another client', async () => {
    const [first, second] = [reach(), reach()];
    const ada = randomVector();
    const { epoch, token } = await makeToken(first, ada);
    const mixed: KeyHolder = { ...first, rows: second.rows, finish: second.finish };
    expect((await search(mixed, ada, { epoch, tokens: [token] })).best).toBe(0);
  });

  it('sends more rows than fit one message, in order', async () => {
    const holder = reach();
    const ada = randomVector();
    const [stranger, { epoch, token }] = [await makeToken(holder, randomVector()), await makeToken(holder, ada)];
    const tokens = [...Array.from({ length: 600 }, () => stranger.token), token];
    expect((await search(holder, ada, { epoch, tokens, session: 'large' })).best).toBe(600);
  });
});

describe('a client without the secret', () => {
  it('is refused, with a message for the operator', async () => {
    const holder = reach('another secret of at least 32 chars');
    await expect(holder.openChallenge(ask('identify'))).rejects.toBeInstanceOf(KeyHolderUnavailableError);
    expect(holder.state()).toContain('KEYHOLDER_SECRET');
  });

  it('gets nothing from a service as a server', async () => {
    const impostor = await listen(0, 'another secret of at least 32 chars');
    onTestFinished(() => impostor.close());
    await expect(reach(secret, impostor.port).openChallenge(ask('identify'))).rejects.toBeInstanceOf(
      KeyHolderUnavailableError,
    );
  });

  it('does not block services with silent connections', async () => {
    const listening = await listen(0);
    onTestFinished(() => listening.close());
    const knock = async (localAddress: string) => {
      const socket = connectPlain({ port: listening.port, host: '127.0.0.1', localAddress });
      socket.on('error', () => {});
      onTestFinished(() => void socket.destroy());
      await new Promise((resolve) => socket.once('connect', resolve));
      return socket;
    };
    const first = reach(secret, listening.port);
    await epochOf(first);
    const held = await Promise.all(
      Array.from({ length: 300 }, (_, index) => knock(`127.0.0.${2 + Math.floor(index / 30)}`)),
    );
    await vi.waitFor(() => expect(held.filter(({ closed }) => closed).length).toBe(300 - 192), PATIENCE);
    await expect(epochOf(reach(secret, listening.port))).resolves.toBeDefined();
  });

  it.each([
    { said: 'something else', bytes: 'GET / HTTP/1.1\r\n\r\n', errorCode: 'ERR_SSL_HTTP_REQUEST' },
    { said: 'half a beginning', bytes: '\x16\x03', errorCode: 'ECONNRESET' },
  ])('is reported if it sent $said, but not if it only probed the port', async ({ bytes, errorCode }) => {
    const told: { errorCode?: string; refused?: number }[] = [];
    const listening = await listen(
      0,
      secret,
      pino({ level: 'warn' }, { write: (line) => told.push(JSON.parse(line)) }),
    );
    onTestFinished(() => listening.close());
    const knock = async (said = '') => {
      const socket = connectPlain(listening.port, '127.0.0.1');
      socket.on('error', () => {});
      socket.resume();
      await new Promise((resolve) => socket.once('connect', resolve));
      socket.end(said);
      await new Promise((resolve) => socket.once('close', resolve));
    };
    await knock();
    await expect(epochOf(reach(secret, listening.port))).resolves.toBeDefined();
    await knock(bytes);
    await vi.waitFor(() => expect(told).toHaveLength(1), PATIENCE);
    expect(told[0]).toMatchObject({ errorCode, refused: 1 });
  });

  it('is refused without encryption', async () => {
    const socket = connectPlain(server.port, '127.0.0.1');
    socket.on('error', () => {});
    const received: Buffer[] = [];
    socket.on('data', (chunk) => received.push(chunk));
    socket.write(encodeFrame({ header: { id: 1, call: 'hello', ask: {} }, blobs: [] }));
    await new Promise((resolve) => socket.once('close', resolve));
    expect(Buffer.concat(received).includes('reply')).toBe(false);
  });

  it('is refused with encryption but without proof', async () => {
    const socket = connect({ host: '127.0.0.1', port: server.port, rejectUnauthorized: false });
    const outcome = await new Promise((resolve) => {
      socket.once('secureConnect', () => resolve('connected')).once('error', () => resolve('refused'));
    });
    expect(outcome).toBe('refused');
  });
});

describe('a secret rotation', () => {
  const [present, next] = [secret, 'the-next-secret-of-32-characters!'];

  it('refuses no call, whichever process switches first', async () => {
    const servers = [await listen(0, present), await listen(0, present)];
    onTestFinished(async () => void (await Promise.all(servers.map((listening) => listening.close()))));
    const urls = servers.map(urlOf);
    const start = (secrets: string[]) => ({ holder: reachAny({ urls, secrets }), call: Promise.resolve(), calls: 0 });
    const services = [start([present]), start([present])];
    const failures: unknown[] = [];
    let isOver = false;
    const load = services.map(async (_, index) => {
      while (!isOver) {
        const service = services[index]!;
        service.call = service.holder.identity().then(
          () => {
            service.calls += 1;
          },
          (error) => void failures.push(error),
        );
        await service.call;
      }
    });
    const changeServer = async (index: number, secrets: string[]) => {
      const { port } = servers[index]!;
      await servers[index]!.close();
      servers[index] = await listen(port, secrets);
    };
    const changeService = async (index: number, secrets: string[]) => {
      const before = services[index]!;
      services[index] = start(secrets);
      await vi.waitFor(() => expect(services[index]!.calls).toBeGreaterThan(0), PATIENCE);
      await before.call;
      await before.holder.close();
    };
    for (const secrets of [[next, present], [next]]) {
      await changeService(0, secrets);
      await changeServer(1, secrets);
      await changeServer(0, secrets);
      await changeService(1, secrets);
    }
    isOver = true;
    await Promise.all(load);
    expect(failures).toEqual([]);
    await expect(reachAny({ urls, secrets: [present] }).identity()).rejects.toBeInstanceOf(KeyHolderUnavailableError);
  });

  it('lets an older service, which does not name its secret, prove the old one', async () => {
    const listening = await listen(0, [next, present]);
    onTestFinished(() => listening.close());
    const { psk } = clientTls(present).pskCallback();
    const proof = { ...clientTls(present), pskCallback: () => ({ psk, identity: 'limen' }) };
    const socket = connect({ ...proof, host: '127.0.0.1', port: listening.port });
    onTestFinished(() => void socket.destroy());
    await new Promise((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject));
  });
});

describe('a foreign key-holder', () => {
  /** Records every call except greetings. */
  function watched(holder: KeyHolder) {
    const calls: string[] = [];
    const spied = new Proxy(holder, {
      get(target, name: keyof KeyHolder) {
        if (name !== 'identity') calls.push(name);
        return target[name];
      },
    });
    return { calls, holder: spied };
  }

  it('gets no calls until it is accepted, and is reported', async () => {
    const foreign = watched(local);
    const listening = await listen(0, secret, log, foreign.holder);
    onTestFinished(() => listening.close());
    let problem: string | undefined = 'it belongs to another';
    const service = reachAny({ urls: [urlOf(listening)], secrets: [secret], findProblem: async () => problem });
    await expect(service.openChallenge(ask('identify'))).rejects.toBeInstanceOf(KeyHolderUnavailableError);
    await expect(service.rotate('acme')).rejects.toBeInstanceOf(KeyHolderUnavailableError);
    expect([service.state(), foreign.calls]).toEqual([problem, []]);
    problem = undefined;
    await vi.waitFor(() => expect(service.state()).toBe('ready'), PATIENCE);
    await service.openChallenge(ask('identify', { session: 'accepted' }));
    expect(foreign.calls).toEqual(['openChallenge']);
  });

  it('is skipped if another address has the right one', async () => {
    const foreign = await openLocalKeyHolder();
    const unused = watched(foreign);
    const listening = await listen(0, secret, log, unused.holder);
    onTestFinished(async () => {
      await listening.close();
      await foreign.close();
    });
    const own = Buffer.from(await local.identity());
    const findProblem = async (identity: Uint8Array) => (own.equals(identity) ? undefined : 'it belongs to another');
    for (let time = 0; time < 6; time++) {
      const service = reachAny({ urls: [urlOf(listening), urlOf(server)], secrets: [secret], findProblem });
      expect(Buffer.from(await service.identity())).toEqual(own);
      await service.openChallenge(ask('identify', { session: `passed over ${time}` }));
    }
    expect(unused.calls).toEqual([]);
  });
});

describe('a malformed message', () => {
  const length = (bytes: number) => {
    const buffer = Buffer.alloc(4);
    buffer.writeUInt32LE(bytes);
    return buffer;
  };

  it.each<[string, Buffer]>([
    ['larger than any', length(MAX_FRAME_BYTES + 1)],
    ['of a broken form', Buffer.concat([length(8), Buffer.from('nonsense')])],
    ['without a number', encodeFrame({ header: { call: 'hello', ask: {} }, blobs: [] })],
  ])('ends only its connection: %s', async (_, bytes) => {
    const holder = reach();
    const { socket, closed } = await rawConnection();
    socket.write(bytes);
    await closed;
    await expect(epochOf(holder)).resolves.toBeDefined();
  });

  it('of an unknown kind is answered with an error', async () => {
    const { socket } = await rawConnection();
    const replied = new Promise<Buffer>((resolve) => socket.once('data', resolve));
    socket.write(encodeFrame({ header: { id: 7, call: 'secretKey', ask: { customer: 'acme' } }, blobs: [] }));
    expect((await replied).toString('latin1')).toContain('"id":7,"refusal":{"code":"failed"}');
  });

  it('of the key-holder fails the pending calls', async () => {
    const liar = await listenForService({
      host: '127.0.0.1',
      port: 0,
      secrets: [secret],
      log,
      answer: async ({ id }) => ({ id: id as number, reply: { challenge: 'x', score: 0.9 }, blobs: [] }),
    });
    onTestFinished(() => liar.close());
    await expect(reach(secret, liar.port).openChallenge(ask('identify'))).rejects.toBeInstanceOf(
      KeyHolderUnavailableError,
    );
  });
});

describe('a disconnected key-holder', () => {
  let other: TlsServer;
  beforeEach(async () => {
    other = await listen(0);
  });

  it('is unavailable until the client reconnects', async () => {
    const holder = reach(secret, other.port);
    const before = await epochOf(holder);
    await other.close();
    await vi.waitFor(() => expect(holder.state()).not.toBe('ready'), PATIENCE);
    await expect(holder.openChallenge(ask('identify'))).rejects.toBeInstanceOf(KeyHolderUnavailableError);
    const back = await listen(other.port);
    await vi.waitFor(() => expect(holder.state()).toBe('ready'), PATIENCE);
    expect(await epochOf(holder)).toBe(before);
    await holder.close();
    await back.close();
    expect(holder.state()).toBe('closed');
    await expect(holder.openChallenge(ask('identify'))).rejects.toBeInstanceOf(KeyHolderUnavailableError);
  });

  it('may start after the service', async () => {
    const { port } = other;
    await other.close();
    const holder = reach(secret, port);
    await expect(holder.openChallenge(ask('identify'))).rejects.toBeInstanceOf(KeyHolderUnavailableError);
    expect(holder.state()).toContain('KEYHOLDER_URL');
    const back = await listen(port);
    onTestFinished(() => back.close());
    await vi.waitFor(() => expect(holder.state()).toBe('ready'), PATIENCE);
    expect((await holder.openChallenge(ask('identify'))).challenge).toHaveLength(22);
  });
});
