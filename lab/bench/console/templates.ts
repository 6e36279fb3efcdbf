// Sessions created and ended by the service itself, as templates for the benchmark's many copies.
import { createApp } from '../../../apps/server/src/app.ts';
import { loadConfig } from '../../../apps/server/src/config.ts';
import type { SessionId } from '../../../apps/server/src/platform/base/ids.ts';
import { createLogSink } from '../../../apps/server/src/platform/base/logging.ts';
import type { AnySession } from '../../../apps/server/src/sessions/lifecycle/session.ts';
import type { Sessions } from '../../../apps/server/src/sessions/lifecycle/sessions.ts';
import type { Place } from './bulk.ts';

const KEYS = 20;
/** With their percentages. */
const AGE_ENDS: readonly [share: number, end: object][] = [
  [60, { outcome: 'above' }],
  [9, { outcome: 'above', flags: ['LIGHT_NOT_AS_DRAWN'] }],
  [1, { outcome: 'above', flags: ['CAMERA_VIRTUAL_SOFTWARE'] }],
  [12, { outcome: 'below', age: 15 }],
  [3, { outcome: 'spoof' }],
  [15, { outcome: 'cancelled' }],
];
const VERIFICATION_ENDS: readonly [share: number, end: object][] = [
  [80, { outcome: 'success' }],
  [15, { outcome: 'not_recognized' }],
  [5, { outcome: 'spoof' }],
];

export interface Template {
  share: number;
  session: AnySession;
}

export interface Templates {
  age: Template[];
  verification: Template[];
  keyIds: string[];
}

/** `open` finds a session by its id after its service was closed. */
export async function makeTemplates({ url, dataDir }: Place): Promise<(sessions: Sessions) => Promise<Templates>> {
  const environment = { NODE_ENV: 'test', DATA_DIR: dataDir, SERVE: 'core', ...(url && { DATABASE_URL: url }) };
  const app = await createApp({ config: loadConfig(environment), log: createLogSink('silent').log });
  const keys = await Promise.all(
    Array.from({ length: KEYS }, (_, nth) =>
      app.apiKeys.create({ kind: 'test', label: `Host ${nth + 1}`, clientCredentials: false }),
    ),
  );
  const call = async <T>(path: string, payload: object): Promise<T> => {
    const headers = { 'x-api-key': keys[0]!.apiKey };
    const reply = await app.http.inject({ method: 'POST', url: path, headers, payload });
    if (reply.statusCode >= 300) throw new Error(`${path}: ${reply.body}`);
    return reply.json<T>();
  };
  const callback = { url: 'http://127.0.0.1:9/hook' };
  const made: { share: number; kind: 'age' | 'verification'; id: string }[] = [];
  for (const [share, end] of AGE_ENDS) {
    const body = { callback, metadata: { order: 'A-10017', basket: ['wine', 'glasses'] } };
    const { token, launchUrl } = await call<{ token: string; launchUrl: string }>('/session', body);
    await call(`/session/${token}/simulate`, end);
    made.push({ share, kind: 'age', id: new URL(launchUrl).searchParams.get('sessionId')! });
  }
  for (const [share, end] of VERIFICATION_ENDS) {
    const body = { type: 'SIGN-IN', locale: 'en', redirectURL: 'https://bank.example/', callback, transactionID: 'x' };
    const { sessionId } = await call<{ sessionId: string }>('/v2/verification-session', body);
    await call(`/v2/verification-session/${sessionId}/simulate`, end);
    made.push({ share, kind: 'verification', id: sessionId });
  }
  await app.close();

  return async (sessions) => {
    const opened = await Promise.all(
      made.map(async ({ share, kind, id }) => ({
        share,
        kind,
        session: (await sessions.look(id as SessionId))!.open(),
      })),
    );
    const of = (wanted: string) => opened.filter(({ kind }) => kind === wanted);
    return { age: of('age'), verification: of('verification'), keyIds: keys.map(({ record }) => record.id) };
  };
}
