// The service of the session benchmark, its webhook receiver, and a host and a device.
import { Agent, type IncomingMessage, request as send } from 'node:http';
import { type DevicePlan, type FacePlanStep, INDICATOR_GROUPS, type IndicatorGroup, type LogEntry } from '@limen/plan';
import { createDeviceClient, type DeviceKeyPair, generateDeviceKeyPair } from '@limen/sdk/device';
import { residentMb } from '../shared/memory.ts';
import { LIMEN, type Server, type Stage } from '../shared/stage.ts';

export const API_KEY = 'limen-bench-sessions-key';

export interface SessionService extends Server {
  /** Undefined if the system does not report it. */
  memoryMb(): number | undefined;
}

export async function startService(stage: Stage, dataDir: string, nodeArgs: string[] = []): Promise<SessionService> {
  const environment = { DATA_DIR: dataDir, DEV_API_KEY: API_KEY, PORT: '0', SERVE: 'core,launch' };
  const server = await stage.startServer(LIMEN, { environment, nodeArgs });
  return { ...server, memoryMb: () => residentMb(server.pid) };
}

export interface WebhookReceiver {
  url: string;
  counts(): Promise<{ received: number; different: number }>;
  /** Resolves once this many distinct webhooks have arrived, with the elapsed time. */
  until(different: number, maxSeconds: number): Promise<number>;
}

export async function startWebhookReceiver(stage: Stage): Promise<WebhookReceiver> {
  const { url } = await stage.startServer('sessions/webhook-receiver.ts');
  const counts = async () => (await (await fetch(url)).json()) as { received: number; different: number };
  return {
    url,
    counts,
    async until(different, maxSeconds) {
      const start = performance.now();
      while ((await counts()).different < different) {
        if (performance.now() - start > maxSeconds * 1000)
          throw new Error(`webhooks are missing: ${different} expected`);
        await pause(50);
      }
      return performance.now() - start;
    },
  };
}

export interface Host {
  create(callbackUrl: string | undefined): Promise<{ token: string; sessionId: string }>;
  read(token: string): Promise<void>;
}

export interface Device {
  /** From the claim to the answer, without human time. */
  complete(sessionId: string): Promise<void>;
}

export function createHost({ url }: Server): Host {
  const agent = new Agent({ keepAlive: true });
  const headers = { 'content-type': 'application/json', 'x-api-key': API_KEY };
  const call = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const reply = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = send(url + path, { method, headers, agent }, resolve).on('error', reject);
      request.end(body && JSON.stringify(body));
    });
    let text = '';
    for await (const chunk of reply) text += chunk;
    // Throws on refusals, which are cheaper and would distort the figure.
    if (reply.statusCode !== 200 && reply.statusCode !== 201) throw new Error(`${path} answered ${reply.statusCode}`);
    return JSON.parse(text) as T;
  };
  return {
    async create(callbackUrl) {
      const body = callbackUrl === undefined ? {} : { callback: { url: callbackUrl } };
      return createdOf(await call('POST', '/session', body));
    },
    async read(token) {
      await call('GET', `/session/${token}/result`);
    },
  };
}

export function createdOf({ token, launchUrl }: { token: string; launchUrl: string }): {
  token: string;
  sessionId: string;
} {
  return { token, sessionId: new URL(launchUrl).searchParams.get('sessionId') ?? '' };
}

/** Prepared in advance, because it is the devices' work. More than the service may cache. */
export const DEVICES = 600;

/** Without browser data a session is reviewed. */
const NOTHING_SEEN = Object.fromEntries(INDICATOR_GROUPS.map((group) => [group, []])) as unknown as Record<
  IndicatorGroup,
  []
>;

/** A device's events and findings for a plan. */
export function doneOf({ steps: [step] }: Pick<DevicePlan, 'steps'>) {
  const { challenges = [], cameraRequest, light }: Partial<FacePlanStep> = step?.step === 'face' ? step : {};
  const shownAndDone = [...challenges.keys()].flatMap((index) => [
    ['shown', index] as const,
    ['done', index] as const,
    ...(cameraRequest?.after === index ? [['asked', index] as const] : []),
  ]);
  const events: readonly (readonly [LogEntry[0], number])[] = [['started', 0], ...shownAndDone, ['finished', 0]];
  // Light takes time that is not the service's.
  const declined = light && { light: 'declined' as const };
  return {
    events,
    indicators: NOTHING_SEEN,
    face: { spoof: false, thresholdResult: 'AGE_ABOVE_THRESHOLD', ...declined } as const,
  };
}

export async function createDevice({ url }: Server): Promise<Device> {
  const pairs: DeviceKeyPair[] = await Promise.all(Array.from({ length: DEVICES }, () => generateDeviceKeyPair()));
  let sessions = 0;
  return {
    async complete(sessionId) {
      const pair = pairs[sessions++ % DEVICES]!;
      const keys = { load: async () => pair, save: async () => {} };
      const client = await createDeviceClient({ baseUrl: url, sessionId, keys });
      const { events, face, indicators } = doneOf(await client.claim({ start: true }));
      await Promise.all(events.map(([event, index]) => client.record(event, index)));
      const { end } = await client.submit({ face, indicators });
      if (end?.flowStatus !== 'COMPLETED') throw new Error('a session was not completed');
    },
  };
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
