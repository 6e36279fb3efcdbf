// Outbound calls to real servers on loopback: redirects, refusals and timeouts.
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createOutbound, type OutboundOptions, type OutboundReply } from './guarded-fetch.ts';

const OPTIONS: OutboundOptions = {
  allowPrivate: true,
  maxConcurrent: 4,
  headersTimeoutMs: 10_000,
  idleTimeoutMs: 10_000,
  totalTimeoutMs: 20_000,
  maxRedirects: 2,
};

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function connect(changes: Partial<OutboundOptions> = {}) {
  const outbound = createOutbound({ ...OPTIONS, ...changes });
  onTestFinished(() => outbound.close());
  return outbound;
}

async function readText(reply: OutboundReply): Promise<string> {
  let text = '';
  for await (const chunk of reply.body(1_000_000)) text += Buffer.from(chunk).toString();
  return `${reply.status} ${text}`;
}

describe('a call', () => {
  it('returns status, headers and body, and sends the given request', async () => {
    const base = await serve((request, reply) => {
      const { 'if-none-match': tag, 'accept-encoding': encoding, 'user-agent': agent } = request.headers;
      reply.setHeader('etag', '"a"').end(`${request.url} ${tag} ${encoding} ${agent?.split('/')[0]}`);
    });
    const result = await connect().get(`${base}/list?x=1`, { headers: { 'if-none-match': '"b"' } }, async (reply) => [
      await readText(reply),
      reply.header('etag'),
      reply.header('nothing'),
    ]);
    expect(result).toEqual(['200 /list?x=1 "b" identity limen', '"a"', undefined]);
  });

  it.each([
    ['file:///etc/passwd', 'invalid_address'],
    ['ftp://example.com/', 'invalid_address'],
    ['example.com', 'invalid_address'],
    ['http://user:secret@127.0.0.1/', 'invalid_address'],
    ['http://169.254.169.254/latest/meta-data', 'address_refused'],
    ['http://[fe80::1]/', 'address_refused'],
    ['http://[::ffff:169.254.169.254]/', 'address_refused'],
    ['http://0.0.0.0:9/', 'address_refused'],
    ['http://2852039166/', 'address_refused'],
  ])('is refused for %s, whatever the caller', async (url, code) => {
    const refused = connect().get(url, {}, readText);
    await expect(refused).rejects.toMatchObject({ name: 'OutboundError', code });
    await expect(refused).rejects.not.toThrow('secret');
  });

  it('reaches loopback only if private addresses are allowed, as a literal and by name', async () => {
    const base = await serve((_, reply) => reply.end('hello'));
    const port = new URL(base).port;
    const closed = connect({ allowPrivate: false });
    for (const host of ['127.0.0.1', 'localhost', '2130706433', '[::ffff:127.0.0.1]']) {
      const url = `http://${host}:${port}/`;
      await expect(closed.get(url, {}, readText)).rejects.toMatchObject({ code: 'address_refused' });
    }
    expect(await connect().get(`http://localhost:${port}/`, {}, readText)).toBe('200 hello');
  });

  it('to a closed port fails with a message without the query', async () => {
    const base = await serve((_, reply) => reply.end());
    const gone = createServer().listen(0, '127.0.0.1');
    await once(gone, 'listening');
    const { port } = gone.address() as AddressInfo;
    gone.close();
    await once(gone, 'close');
    expect(base).not.toContain(`:${port}`);
    const refused = connect().get(`http://127.0.0.1:${port}/?token=secret`, {}, readText);
    await expect(refused).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.not.stringContaining('secret'),
    });
  });
});

describe('a redirect', () => {
  it('is followed manually, relative or absolute, up to the limit', async () => {
    const base = await serve((request, reply) => {
      const next = { '/a': '/b', '/b': `http://${request.headers.host}/c`, '/long': '/a' }[request.url ?? ''];
      if (next) reply.writeHead(302, { location: next }).end('moved');
      else reply.end('there');
    });
    expect(await connect().get(`${base}/a`, {}, readText)).toBe('200 there');
    await expect(connect().get(`${base}/long`, {}, readText)).rejects.toMatchObject({ code: 'redirect_refused' });
  });

  it('in a circle ends', async () => {
    const base = await serve((_, reply) => reply.writeHead(301, { location: '/' }).end());
    await expect(connect().get(base, {}, readText)).rejects.toMatchObject({ code: 'redirect_refused' });
  });

  it.each([
    ['http://169.254.169.254/', 'address_refused'],
    ['http://[::]/', 'address_refused'],
    ['file:///etc/passwd', 'invalid_address'],
    ['http://a:b@127.0.0.1/', 'invalid_address'],
    ['http://', 'redirect_refused'],
  ])('to %s is refused', async (location, code) => {
    const base = await serve((_, reply) => reply.writeHead(307, { location }).end());
    await expect(connect().get(base, {}, readText)).rejects.toMatchObject({ code });
  });

  it('without an address is a reply like any other', async () => {
    const base = await serve((_, reply) => reply.writeHead(302).end('nowhere'));
    expect(await connect().get(base, {}, readText)).toBe('302 nowhere');
  });
});

describe('a call ends', () => {
  it('at the byte limit, announced or not', async () => {
    const base = await serve((request, reply) => {
      if (request.url === '/announced') reply.setHeader('content-length', 2_000_000);
      reply.write(Buffer.alloc(1_500_000));
      reply.end(Buffer.alloc(500_000));
    });
    for (const path of ['/announced', '/silent']) {
      const result = connect().get(`${base}${path}`, {}, readText);
      await expect(result).rejects.toMatchObject({ code: 'too_large' });
    }
  });

  it('if a server sends no headers', async () => {
    const base = await serve(() => {});
    const result = connect({ headersTimeoutMs: 50 }).get(base, {}, readText);
    await expect(result).rejects.toMatchObject({ code: 'timeout' });
  });

  it('if a body falls silent', async () => {
    const base = await serve((_, reply) => void reply.write('some'));
    const result = connect({ idleTimeoutMs: 50 }).get(base, {}, readText);
    await expect(result).rejects.toMatchObject({ code: 'timeout' });
  });

  it('if a body trickles forever', async () => {
    const base = await serve((_, reply) => {
      const drip = setInterval(() => reply.write('x'), 5);
      reply.on('close', () => clearInterval(drip));
    });
    const result = connect({ totalTimeoutMs: 100 }).get(base, {}, readText);
    await expect(result).rejects.toMatchObject({ code: 'timeout' });
  });

  it('if a connection breaks in the middle', async () => {
    const base = await serve((_, reply) => {
      reply.writeHead(200, { 'content-length': 100 });
      reply.write('half', () => reply.destroy());
    });
    await expect(connect().get(base, {}, readText)).rejects.toMatchObject({ code: 'interrupted' });
  });

  it("with the caller's own signal, whose reason it passes on", async () => {
    const base = await serve((_, reply) => void reply.write('some'));
    const controller = new AbortController();
    const reason = new Error('enough');
    const result = connect().get(base, { signal: controller.signal }, async (reply) => {
      for await (const _ of reply.body(100)) controller.abort(reason);
    });
    await expect(result).rejects.toBe(reason);
  });
});

it('runs no more calls than allowed, and starts the next when one ends', async () => {
  let running = 0;
  let most = 0;
  const base = await serve((_, reply) => {
    running += 1;
    most = Math.max(most, running);
    setTimeout(() => {
      running -= 1;
      reply.end('done');
    }, 10);
  });
  const outbound = connect({ maxConcurrent: 2 });
  const replies = await Promise.all(Array.from({ length: 7 }, () => outbound.get(base, {}, readText)));
  expect(replies).toEqual(Array.from({ length: 7 }, () => '200 done'));
  expect(most).toBe(2);
});

it('gives up its place in the queue on abort, and leaves other places unchanged', async () => {
  const opened = Promise.withResolvers<() => void>();
  const base = await serve((request, reply) => {
    if (request.url === '/slow') opened.resolve(() => reply.end('slow'));
    else reply.end('fast');
  });
  const outbound = connect({ maxConcurrent: 1 });
  const slow = outbound.get(`${base}/slow`, {}, readText);
  const finish = await opened.promise;
  const controller = new AbortController();
  const abandoned = outbound.get(`${base}/a`, { signal: controller.signal }, readText);
  const patient = outbound.get(`${base}/b`, {}, readText);
  controller.abort(new Error('no longer'));
  await expect(abandoned).rejects.toThrow('no longer');
  finish();
  expect(await Promise.all([slow, patient])).toEqual(['200 slow', '200 fast']);
});

it('discards an unread body and reuses its slot', async () => {
  const base = await serve((_, reply) => reply.end(Buffer.alloc(500_000)));
  const outbound = connect({ maxConcurrent: 1 });
  for (let round = 0; round < 3; round += 1) {
    expect(await outbound.get(base, {}, async ({ status }) => status)).toBe(200);
  }
});

describe('a post', () => {
  it('carries its body and headers, and returns a redirect as the reply', async () => {
    const seen: string[] = [];
    const base = await serve(async (request, reply) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      seen.push(`${request.method} ${request.url} ${request.headers['x-a']} ${body}`);
      reply.writeHead(307, { location: '/elsewhere' }).end('moved');
    });
    const call = { headers: { 'x-a': '1' }, body: Buffer.from('{}') };
    expect(await connect().post(`${base}/hook`, call, readText)).toBe('307 moved');
    expect(seen).toEqual(['POST /hook 1 {}']);
  });

  it('reaches no address that a get would not reach', async () => {
    const post = connect({ allowPrivate: false }).post('http://127.0.0.1:1/', { body: Buffer.from('') }, readText);
    await expect(post).rejects.toMatchObject({ code: 'address_refused' });
  });
});
