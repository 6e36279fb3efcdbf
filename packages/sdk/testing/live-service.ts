// The real service on a real port and database, with a client for it.
import { startTestApp, type TestApp } from '../../../apps/server/testing/test-app.ts';
import { createLimenClient, type LimenClient, type LimenClientOptions } from '../src/index.ts';

export interface LiveService {
  app: TestApp;
  url: string;
  connect(options?: Partial<LimenClientOptions>): LimenClient;
}

/** Closed at the end of the test, unless `atEnd` defines otherwise. */
export async function startLiveService(
  environment: Record<string, string> = {},
  atEnd?: (dispose: () => Promise<void>) => void,
  clock?: { now(): number },
): Promise<LiveService> {
  const app = await startTestApp({ environment, ...(atEnd && { atEnd }), ...(clock && { clock }) });
  const url = await app.listen();
  return {
    app,
    url,
    connect: (options = {}) => createLimenClient({ baseUrl: url, sleep: async () => {}, ...options }),
  };
}

/** A `fetch` that executes the first request and loses its reply. */
export function createLossyFetch(): typeof fetch {
  let requests = 0;
  return async (input, init) => {
    const response = await fetch(input, init);
    requests += 1;
    if (requests > 1) return response;
    await response.body?.cancel();
    throw new TypeError('the connection broke');
  };
}
