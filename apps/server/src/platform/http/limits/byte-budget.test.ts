// Shares and pools of the memory for bodies and replies.
import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { type ByteAllowance, createByteBudget } from './byte-budget.ts';
import { createForwardingPeers } from './forwarding-peers.ts';

const LIMITS = { strangers: { total: 100, share: 10 }, proven: { total: 50, share: 20 } };

interface Opening {
  key?: string;
  ip?: string;
  announced?: number;
}

function openBudget(limits = LIMITS) {
  const peers = createForwardingPeers(false);
  const budget = createByteBudget(peers, limits);
  /** Opens a request of a key, or of an anonymous client at an address. */
  const open = ({ key, ip = '203.0.113.1', announced = 0 }: Opening = {}) => {
    const raw = new EventEmitter();
    const request = { ip, socket: { remoteAddress: ip }, apiKey: key === undefined ? null : { id: key } };
    return { room: budget.open(request as never, { raw } as never, announced), close: () => raw.emit('close') };
  };
  return { peers, open };
}

const REFUSED = /too much data/;
const fill = (room: ByteAllowance, bytes: number) => expect(() => room.take(bytes)).not.toThrow();

describe('an anonymous client', () => {
  it('uses up only its own share, over all its requests', () => {
    const { open } = openBudget();
    const first = open();
    fill(first.room, 6);
    const second = open();
    fill(second.room, 4);
    expect(() => second.room.take(1)).toThrow(REFUSED);
    fill(open({ ip: '203.0.113.2' }).room, 10);
    first.close();
    fill(second.room, 6);
  });

  it('pays nothing for an empty reservation', () => {
    const { open } = openBudget();
    for (let count = 0; count < 1_000; count += 1) open();
    fill(open().room, 10);
  });

  it('hits the limit of the pool when many clients share it', () => {
    const { open } = openBudget();
    for (let address = 1; address <= 10; address += 1) fill(open({ ip: `198.51.100.${address}` }).room, 10);
    expect(() => open().room.take(1)).toThrow(REFUSED);
  });
});

it('shares no pool with an API key, which has its own share of another', () => {
  const { open } = openBudget();
  for (let address = 1; address <= 10; address += 1) fill(open({ ip: `198.51.100.${address}` }).room, 10);
  fill(open({ key: 'a' }).room, 20);
  expect(() => open({ key: 'a' }).room.take(1)).toThrow(REFUSED);
  fill(open({ key: 'b' }).room, 20);
});

it('gets a reservation back once, and takes nothing afterwards', () => {
  const { open } = openBudget();
  const { room, close } = open();
  fill(room, 10);
  room.giveBack();
  close();
  room.take(10);
  fill(open().room, 10);
  expect(() => open().room.take(1)).toThrow(REFUSED);
});

describe('an eighth of each limit', () => {
  const KIB = 1024;
  const LARGE = 65 * KIB;
  const limits = { strangers: { total: 8 * LARGE, share: 8 * LARGE }, proven: LIMITS.proven };

  it('is reserved for small bodies while large ones use the rest', () => {
    const { open } = openBudget(limits);
    for (let count = 0; count < 7; count += 1) fill(open({ announced: LARGE }).room, LARGE);
    for (const ip of ['203.0.113.1', '203.0.113.2']) {
      expect(() => open({ ip, announced: LARGE }).room.take(1)).toThrow(REFUSED);
      fill(open({ ip, announced: 32 * KIB }).room, 32 * KIB);
    }
    expect(() => open({ announced: 32 * KIB }).room.take(2 * KIB)).toThrow(REFUSED);
  });

  it('is closed to a body of unknown length once it is large, with all its bytes', () => {
    const { open } = openBudget(limits);
    for (let count = 0; count < 6; count += 1) fill(open({ announced: LARGE }).room, LARGE);
    const { room, close } = open();
    fill(room, 60 * KIB);
    fill(room, 5 * KIB);
    expect(() => open({ announced: LARGE }).room.take(1)).toThrow(REFUSED);
    close();
    fill(open({ announced: LARGE }).room, LARGE);
  });
});

describe('an untrusted proxy', () => {
  const forwarded = (remoteAddress: string) => ({ headers: { 'x-forwarded-for': 'x' }, socket: { remoteAddress } });

  it.each(['127.0.0.1', '::1', '10.1.2.3', '192.168.0.4', '::ffff:172.16.0.9'])(
    'has no share of its own at %s',
    (ip) => {
      const { peers, open } = openBudget();
      peers.note(forwarded(ip) as never);
      fill(open({ ip }).room, 40);
      // All of them together get half of the pool.
      peers.note(forwarded('10.7.7.7') as never);
      fill(open({ ip: '10.7.7.7' }).room, 10);
      expect(() => open({ ip }).room.take(1)).toThrow(REFUSED);
      fill(open().room, 10);
    },
  );

  it('is never assumed for a public address, nor for a peer without forwarding headers', () => {
    const { peers, open } = openBudget();
    peers.note(forwarded('8.8.8.8') as never);
    peers.note({ headers: {}, socket: { remoteAddress: '10.1.2.3' } } as never);
    for (const ip of ['8.8.8.8', '10.1.2.3']) expect(() => open({ ip }).room.take(11)).toThrow(REFUSED);
  });

  it('is reported once', () => {
    let found = 0;
    const peers = createForwardingPeers(false, () => (found += 1));
    for (const address of ['10.0.0.1', '10.0.0.1', '10.0.0.2']) peers.note(forwarded(address) as never);
    expect(found).toBe(1);
    const trusting = createForwardingPeers(true, () => (found += 1));
    trusting.note(forwarded('10.0.0.1') as never);
    expect(found).toBe(1);
  });
});
