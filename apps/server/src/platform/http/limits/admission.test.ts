// Chooses which connection is closed when a new one finds no room.
import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { limitConnections } from './admission.ts';
import type { ConnectionState } from './connections.ts';

interface Client {
  state: ConnectionState;
  idleSince?: number;
  behindMs?: number;
  bytesRead?: number;
  address?: string;
}

class FakeSocket extends EventEmitter {
  readonly client: Client;
  readonly remoteAddress: string;
  readonly bytesRead: number;
  isClosed = false;
  constructor(client: Client) {
    super();
    this.client = client;
    this.remoteAddress = client.address ?? '203.0.113.1';
    this.bytesRead = client.bytesRead ?? 0;
  }
  destroy(): void {
    this.isClosed = true;
    this.emit('close');
  }
}

function openServer({ total = 100, perAddress = 100, isTrustedProxy = (_address: string): boolean => false } = {}) {
  const server = new EventEmitter();
  const clientOf = (socket: unknown) => (socket as FakeSocket).client;
  limitConnections(server as never, {
    total,
    perAddress,
    isTrustedProxy,
    connections: {
      stateOf: (socket) => clientOf(socket).state,
      idleSince: (socket) => clientOf(socket).idleSince ?? 0,
    },
    bodyPace: { behindMs: (socket) => clientOf(socket).behindMs ?? 0 },
    forwardingPeers: {
      shareOwner: ({ remoteAddress }, address) => (remoteAddress?.startsWith('10.') ? undefined : address),
    },
  });
  return (client: Client) => {
    const socket = new FakeSocket(client);
    server.emit('connection', socket);
    return socket;
  };
}

const openAmong = (sockets: FakeSocket[]) => sockets.filter(({ isClosed }) => !isClosed).length;

describe('the connection that is closed first', () => {
  it.each([
    ['a silent connection before an idle one', { state: 'silent' }, { state: 'idle' }],
    ['the connection that was idle longest', { state: 'idle', idleSince: 1 }, { state: 'idle', idleSince: 2 }],
    ['an idle connection before one with partial headers', { state: 'idle', idleSince: 5 }, { state: 'head' }],
    ['partial headers before a body', { state: 'head' }, { state: 'body', behindMs: 5_000 }],
    ['the body furthest behind its pace', { state: 'body', behindMs: 2, bytesRead: 9 }, { state: 'body', behindMs: 1 }],
    ['of bodies on pace, the one with fewer bytes', { state: 'body', bytesRead: 1 }, { state: 'body', bytesRead: 2 }],
    ['a body before a request in progress', { state: 'body' }, { state: 'busy' }],
  ] as [string, Client, Client][])('is %s', (_name, first, second) => {
    for (const clients of [
      [first, second],
      [second, first],
    ]) {
      for (const limits of [{ total: 2 }, { perAddress: 2 }]) {
        const open = openServer(limits);
        const sockets = clients.map(open);
        const next = open({ state: 'busy' });
        expect(sockets.filter(({ isClosed }) => isClosed).map(({ client }) => client)).toEqual([first]);
        expect(next.isClosed).toBe(false);
      }
    }
  });

  it('is the new one if requests are in progress on all others', () => {
    const open = openServer({ total: 2 });
    const sockets = [open({ state: 'busy' }), open({ state: 'busy' })];
    expect(open({ state: 'silent' }).isClosed).toBe(true);
    expect(openAmong(sockets)).toBe(2);
  });
});

it('belongs to peers without a share once these hold half of all connections', () => {
  const open = openServer({ total: 10, perAddress: 3 });
  const proxied = Array.from({ length: 10 }, (_, index) => open({ state: 'busy', address: `10.0.0.${index}` }));
  expect(openAmong(proxied)).toBe(5);
  expect(open({ state: 'busy' }).isClosed).toBe(false);
});

it("is never counted against a trusted proxy's share", () => {
  const open = openServer({ total: 10, perAddress: 3, isTrustedProxy: (address) => address === '192.0.2.1' });
  const others = Array.from({ length: 4 }, () => open({ state: 'busy' }));
  expect(openAmong(others)).toBe(3);
  const trusted = Array.from({ length: 10 }, () => open({ state: 'busy', address: '192.0.2.1' }));
  expect(openAmong(trusted)).toBe(7);
});
