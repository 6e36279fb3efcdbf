// Reads a body into memory, up to the limit of the route. Each byte counts as it arrives.
import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../base/errors.ts';
import { announcedBytes } from '../limits/announced-body.ts';

type BodyCallback = (error: Error | null, value?: unknown) => void;
type BodyParser = (request: FastifyRequest, body: Buffer, done: BodyCallback) => unknown;

/** Returns a parser for `addContentTypeParser`. `parse` gets the whole body; it calls `done` or returns a promise. */
export function collectBody(parse: BodyParser) {
  return (request: FastifyRequest, payload: IncomingMessage, done: BodyCallback): void => {
    const { bodyRoom, bodyLimit } = request;
    if (announcedBytes(request.headers) > bodyLimit) {
      done(tooLarge(bodyLimit));
      return;
    }
    const collector = createByteCollector();
    const settle = (finish: () => unknown) => {
      payload.off('data', onData).off('end', onEnd).off('error', refuse);
      try {
        const result = finish();
        if (result instanceof Promise) result.then((value) => done(null, value), done);
      } catch (error) {
        done(error as Error);
      }
    };
    const refuse = (error: Error) => settle(() => done(error));
    const onEnd = () => settle(() => parse(request, collector.bytes(), done));
    const onData = (chunk: Buffer) => {
      if (collector.length + chunk.length > bodyLimit) {
        refuse(tooLarge(bodyLimit));
        return;
      }
      try {
        bodyRoom?.take(chunk.length);
        collector.add(chunk);
      } catch (error) {
        refuse(error as Error);
      }
    };
    payload.on('data', onData).on('end', onEnd).on('error', refuse).resume();
  };
}

export function tooLarge(limit: number): AppError {
  const headers = { connection: 'close' };
  return new AppError('payload_too_large', `The body may have at most ${limit} bytes.`, { headers });
}

export function createByteCollector() {
  let joined: Buffer = Buffer.alloc(0);
  let length = 0;
  return {
    get length() {
      return length;
    },
    add(chunk: Uint8Array): void {
      const needed = length + chunk.length;
      if (needed > joined.length) {
        const larger = Buffer.allocUnsafe(length === 0 ? needed : Math.max(needed, 2 * length));
        joined.copy(larger, 0, 0, length);
        joined = larger;
      }
      joined.set(chunk, length);
      length = needed;
    },
    bytes: () => joined.subarray(0, length),
  };
}
