// A client connected to a scripted server. Waits are recorded instead of waited.
import { createLimenClient, type LimenClient, type LimenClientOptions } from '../src/index.ts';
import { type ScriptedServer, type Step, startScriptedServer } from './scripted-server.ts';

export interface ScriptedClient extends ScriptedServer {
  client: LimenClient;
  /** Milliseconds of each wait between attempts. */
  waits: number[];
}

/** Jitter at its upper end makes the waits exact: 250, 500, 1000 … */
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

/** Returns the rejection of a promise. Fails the test if it resolves. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  const outcome = await promise.then(
    () => 'resolved' as const,
    (error: unknown) => ({ error }),
  );
  if (outcome === 'resolved') throw new Error('the call should have failed');
  return outcome.error;
}
