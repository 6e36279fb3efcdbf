// Bodies that block the service for others.
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { SCREENING_FILE_MAX_BYTES } from '@limen/contract';
import { type Schemas, sampleValue } from '../../../../../apps/server/src/platform/http/reference/sample-request.ts';
import { type AttackClass, expectHonest, inTurn } from '../../attack-class.ts';
import { listCsvShapes, listFormShapes, listPlaces, SHAPE_NAMES, shapeBody } from '../../body-shapes.ts';
import { type ClaimedSession, claimAgeSession } from '../../course.ts';
import { type DelayWatch, watchDelays } from '../../event-loop.ts';
import { NO_RECEIVER, verificationBody } from '../../host.ts';
import type { Stage } from '../../stage.ts';

/** Maximum time that one body may block the event loop. */
const HELD_MS = 500;
/** A machine that delays an idle process for longer allows no conclusion about the service. */
const CONTROL_MS = 100;
const TRIES = 3;
/** Number of measurements skipped on a busy machine. */
const BUSY_TRIES = 9;
const IN_TIME = 'others were answered in time';
const NOT_JUDGED = 'the machine was too busy to tell';

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';
const FALLBACK_LIMIT = 64 * 1024;
/** Imports are streamed, so a line or row is parsed at once. */
const STREAM_BYTES = 4 * 1024 * 1024;
const LINE_BYTES = 250_000;
const BOUNDARY = 'limen-attack-book';

/** Valid bodies with objects and lists that the required fields alone would omit. */
const BODIES: Readonly<Record<string, () => object>> = {
  '/v2/screening/match': () => ({
    dataset: 'demo',
    subjects: [{ name: 'A B', aliases: ['C D'], identifiers: [{ value: 'A1234567' }] }],
  }),
  '/v2/screening/subjects': () => ({
    ...{ reference: 'bodies-slow', name: 'A B', dataset: 'demo' },
    identifiers: [{ value: 'A1234567' }],
    callback: { url: NO_RECEIVER, headers: { 'x-a': 'b' } },
  }),
  '/yente/match/{dataset}': () => ({ queries: { q: { schema: 'Person', properties: { name: ['A B'] } } } }),
  '/session': () => ({ callback: { url: NO_RECEIVER, headers: { 'x-a': 'b' } }, metadata: { a: 1 } }),
  '/v2/verification-session': () => ({
    ...verificationBody('ENROLL'),
    callback: { url: NO_RECEIVER, headers: { 'x-a': 'b' } },
    deviceInfo: { os: 'a' },
  }),
};

interface Operation {
  requestBody?: { content: Record<string, { schema?: object }> };
}
interface Description {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Schemas };
}

interface SlowBody {
  name: string;
  send(): Promise<unknown>;
}

export const bodiesSlow: AttackClass = {
  name: 'bodies-slow',
  prevents: 'one body that keeps the service from answering anybody else for more than half a second',
  promise: 'docs/security.md#a-hostile-client',
  needs: 'a test key',
  refusals: [IN_TIME, NOT_JUDGED],
  attempts: 800,
  attemptsInSuite: 12,
  async begin(stage, remark) {
    const honest = await stage.host.call('POST', '/v2/screening/match', BODIES['/v2/screening/match']!());
    expectHonest(honest.status === 200, 'a subject is screened');
    const open = await aimAt(stage);
    let closed: Promise<Target> | undefined;
    let worstMs = 0;
    return async (round) => {
      const isFirstTime = round < open.bodies.length;
      if (!isFirstTime) closed ??= aimAtClosed(stage).catch(() => open);
      const { watch, bodies } = (!isFirstTime && (await closed)) || open;
      const { name, send } = inTurn(bodies, isFirstTime ? round : round - open.bodies.length);
      let held = 0;
      let busy = 0;
      while (held < TRIES && busy < BUSY_TRIES) {
        const { serviceMs, controlMs } = await watch.during(send);
        if (controlMs < CONTROL_MS && serviceMs > worstMs) {
          worstMs = serviceMs;
          remark(`worst ${Math.round(serviceMs)} ms (control ${Math.round(controlMs)} ms), ${name}`);
        }
        if (serviceMs <= HELD_MS) return IN_TIME;
        if (controlMs < CONTROL_MS) held += 1;
        else busy += 1;
      }
      return held === TRIES ? `held the event loop for more than ${HELD_MS} ms: ${name}` : NOT_JUDGED;
    };
  },
};

interface Target {
  watch: DelayWatch;
  bodies: SlowBody[];
}

async function aimAt(stage: Stage, routes?: RegExp): Promise<Target> {
  return { watch: await watchDelays(stage), bodies: await listBodies(stage, routes) };
}

/** Opens a service with authenticated areas, for the routes that accept larger bodies there. */
async function aimAtClosed(stage: Stage): Promise<Target> {
  const closed = await stage.another({ REQUIRE_API_KEY: 'strings,sanctions' });
  return aimAt(closed, /^\/yente\/match|^\/v2\/screening\/match/);
}

/** Lists every body shape for every route. Each route comes early in the list. */
async function listBodies(stage: Stage, only = /^/): Promise<SlowBody[]> {
  const { paths, components } = (await stage.host.call('GET', '/openapi.json')).json<Description>();
  const ids = { ...(await stage.host.openAgeSession()), version: 'FACE3_1', dataset: 'demo' };
  const routes: SlowBody[][] = [];
  for (const [pattern, methods] of Object.entries(paths)) {
    if (!only.test(pattern)) continue;
    for (const [method, { requestBody }] of Object.entries(methods)) {
      for (const [type, { schema }] of Object.entries(requestBody?.content ?? {})) {
        const path = pattern.replace(/\{(\w+)\}/g, (_, name: string) => pathValue(name, ids));
        const route = { stage, pattern, path, method: method.toUpperCase(), type };
        routes.push(await listBodiesOf(route, schema, components.schemas));
      }
    }
  }
  return takeTurns(routes.sort((a, b) => b.length - a.length));
}

function pathValue(name: string, ids: Record<string, string>): string {
  return name === 'sessionId' ? ids['id']! : (ids[name] ?? crypto.randomUUID());
}

/** The first of each, then the second of each. Each list starts one shape later. */
function takeTurns(lists: SlowBody[][]): SlowBody[] {
  const shifted = lists.map((list, by) => list.map((_, at) => list[(at + by) % list.length]!));
  const longest = Math.max(...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => shifted.flatMap((list) => list[at] ?? [])).flat();
}

interface Route {
  stage: Stage;
  pattern: string;
  path: string;
  method: string;
  type: string;
}

async function listBodiesOf(route: Route, schema: object | undefined, schemas: Schemas): Promise<SlowBody[]> {
  const { pattern, method, type } = route;
  const named = (shape: string, make: () => string | Buffer, sentType = type): SlowBody => ({
    name: `${method} ${pattern}, ${shape}`,
    send: async () => await sendBody(route, sentType, make()),
  });
  switch (type) {
    case JSON_TYPE: {
      const bytes = await findLimit(route);
      return listJsonShapes(pattern, schema, schemas, bytes).map(([shape, make]) => named(shape, make));
    }
    case 'application/x-ndjson': {
      const subject = schemas['WatchSubjectRequest'];
      return listJsonShapes('/v2/screening/subjects', subject, schemas, LINE_BYTES).map(([shape, make]) =>
        named(`${shape} in each line`, () => `${make()}\n`.repeat(STREAM_BYTES / LINE_BYTES)),
      );
    }
    case 'text/csv':
      return listCsvShapes('reference,name', STREAM_BYTES).map(([shape, text]) => named(shape, () => text));
    case 'multipart/form-data':
      return listCsvShapes('id,firstname,lastname,dob', SCREENING_FILE_MAX_BYTES - 1_000).map(([shape, text]) =>
        named(shape, () => writeForm(text), `${type}; boundary=${BOUNDARY}`),
      );
    case FORM_TYPE: {
      const bytes = await findLimit(route);
      return listFormShapes(bytes).map(([shape, text]) => named(shape, () => text.slice(0, bytes)));
    }
    default: {
      const bytes = await findLimit(route);
      return [named('zeros', () => Buffer.alloc(bytes)), named('ones', () => Buffer.alloc(bytes, 0xff))];
    }
  }
}

function listJsonShapes(pattern: string, schema: object | undefined, schemas: Schemas, bytes: number) {
  const body = BODIES[pattern]?.() ?? sampleValue(schema, schemas);
  return listPlaces(body, schema, schemas).flatMap((place) =>
    SHAPE_NAMES.map((shape): [string, () => string] => [
      `${shape} in ${place.where}`,
      () => shapeBody(shape, place, bytes),
    ]),
  );
}

function writeForm(file: string): string {
  const head = `content-disposition: form-data; name="file"; filename="people.csv"\r\ncontent-type: text/csv`;
  return `--${BOUNDARY}\r\n${head}\r\n\r\n${file}\r\n--${BOUNDARY}--\r\n`;
}

/** A refused body may remain unread, which blocks its connection. */
const ALONE = { connection: 'close' };
const DEVICE = /^\/device\/sessions\/[^/]+\/(.+)$/;
/** The claimed session of each stage, so that signed calls reach schema validation. */
const claimed = new WeakMap<Stage, ClaimedSession>();

async function sendBody({ stage, path, method, type: described }: Route, type: string, body: string | Buffer) {
  const { host, speaker } = stage;
  const operation = DEVICE.exec(path)?.[1];
  if (operation === undefined) {
    return await speaker.send({ method, path, headers: { ...host.headers, 'content-type': type, ...ALONE }, body });
  }
  const session = claimed.get(stage) ?? (await claimAgeSession(stage, host));
  claimed.set(stage, session);
  const bytes = Buffer.from(body as string);
  const headers = await session.device.headersFor('POST', session.id, operation, bytes);
  const own = `/device/sessions/${session.id}/${operation}`;
  const reply = await speaker.send({
    ...{ method, path: own, body: bytes },
    headers: { ...headers, 'content-type': described, ...ALONE },
  });
  // The session has ended, or exceeded a limit.
  if (reply.status === 409 || reply.status < 300) claimed.delete(stage);
  return reply;
}

/** Determines the service's maximum body size by announcing one that is far too large. */
function findLimit({ stage, path, method, type }: Route): Promise<number> {
  const request = stage.url.startsWith('https:') ? requestHttps : requestHttp;
  const headers = { ...stage.host.headers, 'content-type': type, 'content-length': '100000000000' };
  return new Promise((resolve) => {
    const asked = request(new URL(path, stage.url), { method, headers, agent: false, timeout: 3_000 }, (incoming) => {
      let text = '';
      incoming.on('data', (chunk) => (text += chunk));
      incoming.on('error', () => resolve(FALLBACK_LIMIT));
      incoming.on('end', () => {
        asked.destroy();
        const bytes = /at most ([\d,]+) bytes/.exec(text)?.[1];
        resolve(bytes === undefined ? FALLBACK_LIMIT : Number(bytes.replaceAll(',', '')));
      });
    });
    const giveUp = () => {
      asked.destroy();
      resolve(FALLBACK_LIMIT);
    };
    asked.on('timeout', giveUp).on('error', giveUp);
    asked.flushHeaders();
  });
}
