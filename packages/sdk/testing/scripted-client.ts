// A client against a scripted server, with waits that are recorded instead of waited.
import { createLimenClient, type LimenClient, type LimenClientOptions } from '../src/index.ts';
import { type ScriptedServer, type Step, startScriptedServer } from './scripted-server.ts';

export interface ScriptedClient extends ScriptedServer {
  client: LimenClient;
  /** Milliseconds of each wait between attempts. */
  waits: number[];
}

/** Jitter is switched to its upper end, so that waits are exact: 250, 500, 1000 … */
export async function startScriptedClient(
  script: Step[],
  options: Partial<LimenClientOptions> = {},
): Promise<ScriptedClient> {
  const server = await startScriptedServer(...script);
  const waits: number[] = [];
  const client = createLimenClient({
    baseUrl: server.url,
    sleep: async (milliseconds) => void waits.push(milliseconds),
    random: () => 1,
    ...options,
  });
  return { ...server, client, waits };
}

/** What a promise rejects with; fails the test when it resolves. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  const outcome = await promise.then(
    () => 'resolved' as const,
    (error: unknown) => ({ error }),
  );
  if (outcome === 'resolved') throw new Error('the call should have failed');
  return outcome.error;
}
