// Listens on one address, or for `localhost` on both loopback addresses with the same port.
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import type { HttpServer } from './types.ts';

/** Browsers try this name on both loopback addresses, in different orders. */
const LOCALHOST = 'localhost';
/** Attempts to find a port that is free on both addresses */
const MAX_TRIES = 20;

export interface ListenAddress {
  host: string;
  port: number;
  secure: boolean;
}

/** Connections to the second address are handed to the same server, so that its limits and its way of stopping apply to them. */
export function createListener(http: HttpServer, place: ListenAddress) {
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
    second = await tryListen('::1', port, handOver);
    try {
      await http.listen({ host: '127.0.0.1', port: second ? readPort(second) : port });
    } catch (error) {
      if (second) await closeServer(second);
      second = undefined;
      throw error;
    }
  };

  return {
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
      opened = originAt({ ...place, port: readPort(http.server) });
      return opened;
    },
    /** Returns the address to visit, also before the server listens. */
    address: (): string => opened ?? originAt(place),
  };
}

export function originAt({ host, port, secure }: ListenAddress): string {
  return new URL(`${secure ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`).origin;
}

/** Returns undefined on a machine without the address. */
async function tryListen(host: string, port: number, take: (socket: Socket) => void): Promise<Server | undefined> {
  const server = createServer({ allowHalfOpen: true, noDelay: true }, take);
  try {
    await once(server.listen(port, host), 'listening');
    server.on('error', () => {}); // a failed accept concerns one connection
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

function readPort(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}
