// The part of autocannon that the load uses; the package brings no types.
declare module 'autocannon' {
  namespace autocannon {
    interface Request {
      method: 'GET' | 'POST';
      path: string;
      headers?: Record<string, string>;
      body?: string;
    }

    interface Options {
      url: string;
      connections: number;
      /** Seconds. */
      duration: number;
      /** Milliseconds between samples; a run ends at the first one after `duration`. */
      sampleInt?: number;
      setupClient?: (client: { setRequests(requests: Request[]): void }) => void;
    }

    interface Result {
      errors: number;
      non2xx: number;
    }

    interface Run extends PromiseLike<Result> {
      on(
        event: 'response',
        listener: (client: unknown, status: number, bytes: number, milliseconds: number) => void,
      ): void;
    }
  }

  function autocannon(options: autocannon.Options): autocannon.Run;
  export = autocannon;
}
