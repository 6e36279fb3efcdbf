// Cheap connections that exhaust capacity: announced but unsent bodies, and silent or idle sockets.
import { connect, type Socket } from 'node:net';
import { type AttackClass, expectHonest, inTurn } from '../../attack-class.ts';
import type { Stage } from '../../stage.ts';

const promise = 'docs/security.md#a-hostile-client';
const GOES_ON = 'honest calls go on';

/** Connections per attempt. */
const CONNECTIONS = 400;
/** Connections allowed per address. */
const SHARE = 256;
const PATIENCE_MS = 5_000;

interface Crowd {
  /** Connections that the service has not closed. */
  open(): number;
  leave(): void;
}

async function openCrowd({ url, newAddress }: Stage, count: number, text: (index: number) => string): Promise<Crowd> {
  const { hostname, port, protocol } = new URL(url);
  const localAddress = newAddress();
  const isElsewhere = hostname !== '127.0.0.1';
  const sockets: Socket[] = [];
  let closed = 0;
  const opened = Array.from({ length: count }, (_, index) => {
    const socket = connect({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port || (protocol === 'https:' ? 443 : 80)),
      ...(isElsewhere ? {} : { localAddress }),
    });
    sockets.push(socket);
    socket.on('error', () => {}).on('close', () => (closed += 1));
    return new Promise<void>((resolve) => {
      socket.once('close', resolve).once('connect', () => {
        const head = text(index);
        if (head === '') resolve();
        else socket.write(head, () => resolve());
      });
    });
  });
  await Promise.all(opened);
  return {
    open: () => sockets.length - closed,
    leave() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

export const announcementsHeld: AttackClass = {
  name: 'announcements-held',
  prevents: 'announcing large bodies that never come, so that the bodies of all others are refused',
  promise,
  needs: 'a test key',
  refusals: [GOES_ON],
  attempts: 6,
  async begin(stage) {
    const { host } = stage;
    const announced: [path: string, bytes: number][] = [
      ['/v2/screening/match', 8_388_608],
      ['/node/plainEnroll', 1_310_720],
      ['/strings', 790_000],
      ['/device/sessions/00000000-0000-4000-8000-000000000000/selfie', 204_881],
    ];
    const create = () => host.call('POST', '/session', {});
    expectHonest((await create()).status === 201, 'a session is created');
    return async (round) => {
      const head = (index: number) => {
        const [path, bytes] = inTurn(announced, round + (round % 2 === 0 ? 0 : index));
        return `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${bytes}\r\n\r\n`;
      };
      const crowd = await openCrowd(stage, CONNECTIONS, head);
      try {
        for (let call = 0; call < 4; call += 1) {
          const { status, label } = await create();
          if (status !== 201) return `an honest POST was refused: ${label}`;
        }
        return GOES_ON;
      } finally {
        crowd.leave();
      }
    };
  },
};

export const socketsSilent: AttackClass = {
  name: 'sockets-silent',
  prevents: 'taking all connections of the service with sockets that never say a word, or only one request',
  promise,
  needs: 'many keys',
  refusals: [GOES_ON],
  attempts: 4,
  async begin(stage) {
    // Each call opens a new connection, as a new client does.
    const ask = () => stage.speaker.sendRaw('GET /health HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    expectHonest((await ask()).startsWith('HTTP/1.1 200'), 'the service answers');
    return async (round) => {
      const words = inTurn(['', 'GET /health HTTP/1.1\r\nhost: x\r\n\r\n'], round);
      const crowd = await openCrowd(stage, CONNECTIONS, () => words);
      try {
        const until = performance.now() + PATIENCE_MS;
        while (crowd.open() > SHARE && performance.now() < until)
          await new Promise((resolve) => setTimeout(resolve, 20));
        if (crowd.open() > SHARE) return `one address keeps ${crowd.open()} unused connections`;
        const reply = await ask();
        return reply.startsWith('HTTP/1.1 200') ? GOES_ON : 'an honest caller was not answered';
      } finally {
        crowd.leave();
      }
    };
  },
};
