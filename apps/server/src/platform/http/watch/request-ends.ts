// Tells how each request ended and how long it took, once: when the whole reply is out, or when the connection is gone before.
//
// Fastify's own hook for this costs a closure, two listeners that are removed again and a run of hooks for each request,
// and says nothing of a client that left.
import type { ServerResponse } from 'node:http';
import type { FastifyReply, onRequestHookHandler } from 'fastify';

/** Stands for the route where there is none. */
export const UNMATCHED = 'unmatched';
/** Stands for the status where the client left before the whole reply was out, or was cut off; nginx writes it so. */
export const NOT_ANSWERED = 499;

interface UnderWay {
  reply: FastifyReply;
  startedAt: number;
  /** The pattern, never the path; undefined until the hook of the route was reached. */
  route: string | undefined;
}

const UNDER_WAY = Symbol('request under way');
type Response = ServerResponse & { [UNDER_WAY]?: UnderWay | undefined };

export type RequestEnds = ReturnType<typeof watchRequestEnds>;
type OnEnd = (reply: FastifyReply, route: string, status: number, elapsedMs: number) => void;

export function watchRequestEnds(onEnd: OnEnd) {
  const end = (response: Response, status: number) => {
    const underWay = response[UNDER_WAY];
    if (!underWay) return;
    response[UNDER_WAY] = undefined;
    const { reply, startedAt } = underWay;
    const route = underWay.route ?? reply.request.routeOptions.url ?? UNMATCHED;
    onEnd(reply, route, status, performance.now() - startedAt);
  };
  function onFinish(this: Response): void {
    end(this, this.statusCode);
  }
  function onClose(this: Response): void {
    end(this, NOT_ANSWERED);
  }
  return {
    watch(reply: FastifyReply): void {
      const raw: Response = reply.raw;
      raw[UNDER_WAY] = { reply, startedAt: performance.now(), route: undefined };
      raw.on('finish', onFinish).on('close', onClose).on('error', ignore);
    },
    /** For a request that was answered otherwise than with its reply, or is not going to be. */
    end: (reply: FastifyReply, status: number): void => end(reply.raw, status),
    /** A hook for one route, whose pattern it knows: looking it up on a request builds an object of all that the route is. */
    nameRoute:
      (pattern: string): onRequestHookHandler =>
      (_request, reply, done) => {
        const underWay = (reply.raw as Response)[UNDER_WAY];
        if (underWay) underWay.route = pattern;
        done();
      },
  };
}

/** What is written to a reply that is over already is nobody's concern; without a listener it would end the process. */
function ignore(): void {}
