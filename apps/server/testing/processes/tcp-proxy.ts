// A wire on loopback that can be cut, or go dead without a word, as a cable, a firewall or a vanished machine would do.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface TcpProxy {
  port: number;
  /** While it is shut, new connections are broken off at once. */
  setDoor(to: 'open' | 'shut'): void;
  /** How many were. */
  turnedAway(): number;
  /** Breaks all connections off, in both directions; new ones are let through. */
  cut(): void;
  /** What is open now carries nothing any more, and nobody is told; new connections are let through. */
  goSilent(): void;
  close(): Promise<void>;
}

export async function startTcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  const wires = new Set<[Socket, Socket]>();
  let isOpen = true;
  let turnedAway = 0;
  const server = createServer((near) => {
    if (!isOpen) {
      turnedAway += 1;
      near.resetAndDestroy();
      return;
    }
    const far = connect(target.port, target.host);
    const wire: [Socket, Socket] = [near, far];
    wires.add(wire);
    for (const [from, to] of [wire, wire.toReversed()] as [Socket, Socket][]) {
      from.on('error', () => {});
      from.on('close', () => {
        to.destroy();
        wires.delete(wire);
      });
      from.pipe(to);
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    for (const [near, far] of wires) {
      near.resetAndDestroy();
      far.resetAndDestroy();
    }
  };
  return {
    port: (server.address() as AddressInfo).port,
    setDoor(to) {
      isOpen = to === 'open';
    },
    turnedAway: () => turnedAway,
    cut,
    goSilent() {
      for (const [near, far] of wires) {
        near.unpipe(far).resume();
        far.unpipe(near).resume();
      }
    },
    async close() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
