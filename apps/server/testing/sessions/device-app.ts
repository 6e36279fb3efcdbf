// One application for the tests of a file, and sessions for devices.
import type { DevicePlan, LogEntry } from '@limen/plan';
import { afterAll, beforeAll } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#testing/database/test-database.ts';
import { answerTo, followPlan, newDevice, sealAnswer, type TestDevice } from '#testing/device.ts';
import { createManualClock, type ManualClock } from '#testing/manual-clock.ts';
import { type Host, newHost } from '#testing/session-app.ts';
import { createStatusServer, type StatusServer } from '#testing/status-server.ts';
import { startTestApp, type TestApp } from '#testing/test-app.ts';

export interface DeviceApp {
  app: TestApp;
  storage: TestDatabase;
  clock: ManualClock;
  host: Host;
  /** Status lists of the attestation issuers */
  statuses: StatusServer;
}

/** Filled before the first test. `settings` are environment variables. */
export function useDeviceApp(settings: Readonly<Record<string, string>> = {}): DeviceApp {
  const room = {} as DeviceApp;
  const ends: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    room.clock = createManualClock();
    room.storage = await createTestDatabase();
    room.statuses = createStatusServer();
    const options = {
      clock: room.clock,
      database: room.storage,
      statusOutbound: room.statuses.outbound,
      environment: { SERVE: 'core,launch', ...settings },
    };
    room.app = await startTestApp({ ...options, atEnd: (end) => ends.push(end) });
    room.host = await newHost(room.app);
  });
  afterAll(async () => {
    for (const end of ends) await end();
    await room.storage.dispose();
  });
  return room;
}

export interface OpenedSession {
  id: string;
  token: string;
}

export async function openSession({ host }: DeviceApp, body: object = {}): Promise<OpenedSession> {
  const { body: created } = await host.create(body);
  return { id: new URL(created.launchUrl).searchParams.get('sessionId') ?? '', token: created.token };
}

export interface Claimed extends OpenedSession {
  device: TestDevice;
  planText: string;
  plan: DevicePlan;
  log: LogEntry[];
}

/** Claims a session with a new device, which has reported nothing yet. */
export async function claimSession(room: DeviceApp, body: object = {}): Promise<Claimed> {
  const session = await openSession(room, body);
  const device = await newDevice(room.app.http);
  const { body: claimed } = await device.claim(session.id);
  return { ...session, device, ...readPlan(claimed.plan) };
}

export function readPlan(planText: string) {
  const plan = JSON.parse(planText) as DevicePlan;
  return { planText, plan, log: followPlan(plan) };
}

/** Claims a session and reports its complete log, ten seconds later or when it is over. */
export async function captureSession(room: DeviceApp, body: object = {}): Promise<Claimed> {
  const claimed = await claimSession(room, body);
  room.clock.advance(Math.max(10_000, claimed.log.at(-1)?.[2] ?? 0));
  await claimed.device.report(claimed.id, 0, claimed.log);
  return claimed;
}

export function sealFor({ planText, plan }: Pick<Claimed, 'planText' | 'plan'>, other: object = {}): Promise<Buffer> {
  return sealAnswer(planText, answerTo(plan, other));
}
