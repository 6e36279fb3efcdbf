// Where the service is reached: one address, or for `localhost` both loopback addresses under one port.
import { createServer, type Server, type Socket } from 'node:net';
import type { HttpServer } from './types.ts';

/** A name that browsers try on either loopback address; which one first differs between them. */
const LOCALHOST = 'localhost';
const LOOPBACK = { v4: '127.0.0.1', v6: '::1' };
/** A free port of one address can be taken on the other; among so many there is one that is free on both. */
const MAX_TRIES = 20;

export interface Place {
  host: string;
  port: number;
  secure: boolean;
}

export type Listener = ReturnType<typeof createListener>;

/**
 * Node listens on one address at a time. The second one's connections are handed to the same server, so that its limits,
 * its clocks and its way of stopping hold for them too.
 */
export function createListener(http: HttpServer, place: Place) {
  /** Set once the server listens. */
  let opened: string | undefined;
  let second: Server | undefined;
  let secondClosed: Promise<void> | undefined;
  http.addHook('preClose', (done) => {
    secondClosed = second && closeServer(second);
    done();
  });
  http.addHook('onClose', async () => secondClosed);

  const handOver = (socket: Socket) => void http.server.emit('connection', socket);
  const openBoth = async (port: number): Promise<void> => {
    second = await listenIfThere(LOOPBACK.v6, port, handOver);
    try {
      await http.listen({ host: LOOPBACK.v4, port: second ? portOf(second) : port });
    } catch (error) {
      if (second) await closeServer(second);
      second = undefined;
      throw error;
    }
  };

  return {
    /** Listens, and resolves with the address to go to. */
    async listen(): Promise<string> {
      await http.ready();
      if (place.host !== LOCALHOST) {
        const address = await http.listen({ host: place.host, port: place.port });
        opened = http.listeningOrigin;
        return address;
      }
      for (let attempt = 1; http.server.listening === false; attempt++) {
        await openBoth(place.port).catch((error: NodeJS.ErrnoException) => {
          if (error.code !== 'EADDRINUSE' || place.port !== 0 || attempt === MAX_TRIES) throw error;
        });
      }
      opened = originAt({ ...place, port: portOf(http.server) });
      return opened;
    },
    /** Returns the address to go to; before the server listens, the one that it will have. */
    address: (): string => opened ?? originAt(place),
  };
}

export function originAt({ host, port, secure }: Place): string {
  return new URL(`${secure ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`).origin;
}

/** Undefined on a machine that does not have the address. */
async function listenIfThere(host: string, port: number, take: (socket: Socket) => void): Promise<Server | undefined> {
  // As Node's HTTP server opens its own.
  const server = createServer({ allowHalfOpen: true, noDelay: true }, take);
  try {
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
    return server;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT' || code === 'EINVAL') return undefined;
    throw error;
  }
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}
