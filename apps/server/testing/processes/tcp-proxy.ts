// A TCP proxy on loopback that can be cut, held, slowed down or silenced, as a cable or a firewall
// would.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';

export interface TcpProxy {
  port: number;
  /** Refuses new connections while shut. */
  setDoor(to: 'open' | 'shut'): void;
  /** Returns the number of refused connections. */
  turnedAway(): number;
  /** Cuts all connections, but accepts new ones. */
  cut(): void;
  /** Drops all traffic of open connections silently, but accepts new ones. */
  goSilent(): void;
  /** Holds all traffic until released, then delivers it. */
  hold(): void;
  release(): void;
  /** Sets the latency and the bytes per second, for each direction of a connection. */
  slowDown(to: Slowness): void;
  close(): Promise<void>;
}

export interface Slowness {
  delayMs: number;
  bytesPerSecond: number;
}

export const AT_FULL_SPEED: Slowness = { delayMs: 0, bytesPerSecond: Number.POSITIVE_INFINITY };

export async function startTcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  const wires = new Set<[Socket, Socket]>();
  let isOpen = true;
  let turnedAway = 0;
  let slowness = AT_FULL_SPEED;
  let held: Promise<void> | undefined;
  let release = () => {};

  /** Forwards chunks in order, each after the one before, unless held. */
  const createPassage = () =>
    new Transform({
      async transform(piece: Buffer, _, done) {
        const { delayMs, bytesPerSecond } = slowness;
        const waitMs = delayMs + (1_000 * piece.length) / bytesPerSecond;
        if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
        await held;
        done(null, piece);
      },
    });

  async function join(near: Socket): Promise<void> {
    near.on('error', () => {}); // `close` follows.
    await held;
    if (near.destroyed) return;
    const far = connect(target.port, target.host);
    const wire: [Socket, Socket] = [near, far];
    wires.add(wire);
    for (const [from, to] of [wire, wire.toReversed()] as [Socket, Socket][]) {
      from.on('error', () => {});
      from.on('close', () => {
        to.destroy();
        wires.delete(wire);
      });
      from.pipe(createPassage()).pipe(to);
    }
  }

  const server = createServer((near) => {
    if (isOpen) return void join(near);
    turnedAway += 1;
    near.resetAndDestroy();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    for (const [near, far] of wires) {
      near.resetAndDestroy();
      far.resetAndDestroy();
    }
  };
  const letGo = () => {
    release();
    held = undefined;
  };
  return {
    port: (server.address() as AddressInfo).port,
    setDoor(to) {
      isOpen = to === 'open';
    },
    turnedAway: () => turnedAway,
    cut,
    goSilent() {
      for (const socket of [...wires].flat()) socket.unpipe().resume();
    },
    hold() {
      held ??= new Promise((resolve) => {
        release = resolve;
      });
    },
    release: letGo,
    slowDown(to) {
      slowness = to;
    },
    async close() {
      letGo();
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
