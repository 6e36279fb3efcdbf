// Minimal HTTP/1.1 over keep-alive connections, because the client's CPU time is lost to the
// service.
import { connect, type Socket } from 'node:net';

export interface Reply {
  status: number;
  body: string;
}

interface Waiting {
  resolve(reply: Reply): void;
  reject(error: Error): void;
}

type Send = (method: string, path: string, headers: Record<string, string>, body?: string | Buffer) => Promise<Reply>;

/** One request at a time per connection, and one connection per concurrent request. */
export function openWire(url: string): Send {
  const { hostname, port, host } = new URL(url);
  const idle = new Set<Line>();
  return async (method, path, headers, body = '') => {
    const [line = openLine(Number(port), hostname, idle)] = idle;
    idle.delete(line);
    const fields = { host, ...headers, 'content-length': String(Buffer.byteLength(body)) };
    const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
    const reply = await line(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`, body);
    idle.add(line);
    return reply;
  };
}

/** Sends one request after another. */
type Line = (head: string, body: string | Buffer) => Promise<Reply>;

function openLine(port: number, hostname: string, idle: Set<Line>): Line {
  const socket: Socket = connect(port, hostname).setNoDelay();
  let waiting: Waiting | undefined;
  let received = Buffer.alloc(0);
  const fail = (error: Error) => waiting?.reject(error);
  socket.on('error', fail).on('close', () => {
    idle.delete(line);
    fail(new Error('the service closed a connection'));
  });
  socket.on('data', (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    const reply = readReply(received);
    if (!reply) return;
    received = Buffer.alloc(0);
    const asked = waiting;
    waiting = undefined;
    asked?.resolve(reply);
  });
  const line: Line = (head, body) =>
    new Promise((resolve, reject) => {
      waiting = { resolve, reject };
      socket.write(typeof body === 'string' ? head + body : Buffer.concat([Buffer.from(head), body]));
    });
  return line;
}

/** Undefined while incomplete. The service sends content lengths. */
function readReply(bytes: Buffer): Reply | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const head = bytes.toString('latin1', 0, end);
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  if (length === undefined) throw new Error(`a reply without a length:\n${head}`);
  const begin = end + 4;
  if (bytes.length < begin + Number(length)) return undefined;
  return { status: Number(head.slice(9, 12)), body: bytes.toString('utf8', begin, begin + Number(length)) };
}
