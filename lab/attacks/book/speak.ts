// HTTP as used by attackers: literal paths and headers, from any address of this machine.
import { Agent, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { connect as connectTcp, isIPv4 } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { CallDoor } from '../../../apps/server/testing/device.ts';

/** Timeout of a reply. */
const PATIENCE_MS = 30_000;

export interface Call {
  method: string;
  path: string;
  headers?: Record<string, string>;
  /** Objects are sent as JSON. */
  body?: string | Buffer | object;
  /** Address of this machine from which the call comes. */
  from?: string;
}

export interface Reply {
  /** 0 if the connection was closed without a reply. */
  status: number;
  headers: Record<string, unknown>;
  text: string;
  json<T = Record<string, unknown>>(): T;
  /** Status and name of the refusal, such as `404 not_found`. */
  label: string;
}

export interface Speaker {
  send(call: Call): Promise<Reply>;
  /** Sends raw bytes over a new connection and returns everything received until it closes. */
  sendRaw(...parts: (string | Buffer)[]): Promise<string>;
  /** For the scripted devices. */
  door: CallDoor;
  /** Number of calls answered with 500 since the last check. Must be zero. */
  takeFailures(): string[];
  close(): void;
}

/** The specification defines 500 for the biometric node's deletion without a `puid`. */
const SPECIFIED_500 = 'Missing PUID.';

export function openSpeaker(baseUrl: string): Speaker {
  const { protocol, hostname, port } = new URL(baseUrl);
  const isTls = protocol === 'https:';
  const request = isTls ? requestHttps : requestHttp;
  const toPort = Number(port || (isTls ? 443 : 80));
  const host = hostname.replace(/^\[|\]$/g, '');
  const agent = isTls ? undefined : new Agent({ keepAlive: true, maxSockets: 64 });
  let failures: string[] = [];

  async function send({ method, path, headers = {}, body, from }: Call): Promise<Reply> {
    const payload = typeof body === 'object' && !Buffer.isBuffer(body) ? JSON.stringify(body) : body;
    const type = payload === body || payload === undefined ? {} : { 'content-type': 'application/json' };
    const length = payload === undefined ? {} : { 'content-length': String(Buffer.byteLength(payload)) };
    const own =
      from !== undefined && isIPv4(from) && from !== '127.0.0.1' ? { localAddress: from, agent: false } : { agent };
    const reply = await new Promise<Reply>((resolve, reject) => {
      const options = { host, port: toPort, method, path, headers: { ...type, ...length, ...headers }, ...own };
      const asked = request({ ...options, timeout: PATIENCE_MS }, (incoming) => {
        read(incoming).then((text) => resolve(replyOf(incoming, text)), reject);
      });
      asked.on('timeout', () => asked.destroy(new Error(`no reply to ${method} ${path.slice(0, 80)}`)));
      asked.on('error', (error: NodeJS.ErrnoException) => {
        // Bodies over the limit are not read completely, so the reply may be lost with the
        // connection.
        if (error.code === 'ECONNRESET' || error.code === 'EPIPE') resolve(closedReply());
        else reject(error);
      });
      asked.end(payload);
    });
    if (reply.status === 500 && !reply.text.includes(SPECIFIED_500)) failures.push(`${method} ${path.slice(0, 120)}`);
    return reply;
  }

  return {
    send,
    sendRaw(...parts) {
      return new Promise((resolve, reject) => {
        const socket = isTls ? connectTls({ host, port: toPort, servername: host }) : connectTcp(toPort, host);
        let received = '';
        socket.setTimeout(PATIENCE_MS, () => socket.destroy());
        socket.on('data', (chunk) => (received += chunk));
        socket.on('close', () => {
          if (/^HTTP\/1\.1 500/.test(received)) failures.push('raw bytes');
          resolve(received);
        });
        socket.on('error', (error: NodeJS.ErrnoException) => {
          if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error);
        });
        for (const part of parts) socket.write(part);
      });
    },
    door: {
      async inject({ method, remoteAddress, url, headers, payload }) {
        const reply = await send({
          method,
          path: url,
          headers,
          from: remoteAddress,
          ...(payload && { body: payload }),
        });
        return { statusCode: reply.status, headers: reply.headers, json: () => reply.json() };
      },
    },
    takeFailures() {
      const taken = failures;
      failures = [];
      return taken;
    },
    close: () => agent?.destroy(),
  };
}

async function read(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function replyOf({ statusCode = 0, headers }: IncomingMessage, text: string): Reply {
  const json = <T>() => JSON.parse(text) as T;
  const code = headers['x-error-code'];
  return { status: statusCode, headers, text, json, label: `${statusCode}${nameOf(code, text)}` };
}

/** The biometric node has no error codes. Its messages are equally stable. */
function nameOf(code: unknown, text: string): string {
  if (typeof code === 'string') return ` ${code}`;
  const message = /^\{"status":-?\d+,.*?"message":"([^":]{1,60})/s.exec(text)?.[1];
  return message === undefined ? '' : ` ${message}`;
}

function closedReply(): Reply {
  const json = () => {
    throw new Error('there is no reply');
  };
  return { status: 0, headers: {}, text: '', json, label: 'connection closed' };
}
