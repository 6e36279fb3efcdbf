// HTTP/1.1 as bare as it gets, over connections that stay open: a client that takes a tenth of what the service does would still
// take a tenth of its two cores.
import { connect, type Socket } from 'node:net';

export interface Reply {
  status: number;
  body: string;
}

interface Waiting {
  resolve(reply: Reply): void;
  reject(error: Error): void;
}

export interface Wire {
  send(method: string, path: string, headers: Record<string, string>, body?: string | Buffer): Promise<Reply>;
  close(): void;
}

/** One request at a time on each connection, and as many connections as there are requests at once. */
export function openWire(url: string): Wire {
  const { hostname, port, host } = new URL(url);
  const idle: Line[] = [];
  const all = new Set<Line>();
  return {
    async send(method, path, headers, body = '') {
      let line = idle.pop();
      while (line && !all.has(line)) line = idle.pop();
      line ??= openLine(Number(port), hostname, all);
      const fields = { host, ...headers, 'content-length': String(Buffer.byteLength(body)) };
      const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
      const reply = await line.ask(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`, body);
      if (all.has(line)) idle.push(line);
      return reply;
    },
    close() {
      for (const line of all) line.end();
    },
  };
}

interface Line {
  ask(head: string, body: string | Buffer): Promise<Reply>;
  end(): void;
}

function openLine(port: number, hostname: string, all: Set<Line>): Line {
  const socket: Socket = connect(port, hostname).setNoDelay();
  let waiting: Waiting | undefined;
  let received = Buffer.alloc(0);
  const fail = (error: Error) => waiting?.reject(error);
  socket.on('error', fail).on('close', () => {
    all.delete(line);
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
  const line: Line = {
    ask(head, body) {
      return new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        socket.write(typeof body === 'string' ? head + body : Buffer.concat([Buffer.from(head), body]));
      });
    },
    end: () => socket.destroy(),
  };
  all.add(line);
  return line;
}

/** Undefined while it is not whole. The service says how long its replies are. */
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
