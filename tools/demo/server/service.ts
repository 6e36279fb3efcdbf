// The demo's host application: uses the SDK as any back end would, and records everything for
// display.

import {
  createLimenClient,
  jsonText,
  type LimenClient,
  LimenConnectionError,
  LimenError,
  verifyWebhook,
  WebhookError,
} from '@limen/sdk';
import { AppError } from '../../../apps/server/src/platform/base/errors.ts';
import type { SessionId } from '../../../apps/server/src/platform/base/ids.ts';
import type { DemoContext } from '../../../apps/server/src/sessions/demo.ts';
import { type Check, createCheckList } from './check-list.ts';
import { CHECK_MINUTES, type CheckKind, type CheckView, type DemoSetup, type ExchangeView } from './check-view.ts';
import { type Ending, HOST_CALLS } from './host-calls.ts';
import type { Fetch } from './inject-fetch.ts';
import { maskSecrets } from './mask-secrets.ts';
import { createPeopleList, enrolledPuid } from './people-list.ts';
import { readBody, recordExchange } from './record-exchange.ts';
import { takePicture } from './take-picture.ts';
import { createWebhookReceiver, type ReceivedWebhook } from './webhook-receiver.ts';

/**
 * Maximum number of recorded webhooks per check. Further repetitions are answered but not recorded.
 */
const MAX_WEBHOOKS = 8;
/** Size limits. Only genuine webhooks may be larger, because the service rarely sends pictures. */
const MAX_FORGED_BYTES = 64 * 1024;
/** Maximum time to wait for the demo. */
const CALL_TIMEOUT_MS = 10_000;

export interface NewCheck {
  kind: CheckKind;
  /** As written by the page. The service validates them, and its refusal is part of the demo. */
  options: Record<string, unknown>;
  /** JSON text of an age session's metadata, as typed. */
  metadata?: string;
  /** Whether the person is redirected to the demo. Always true for verification sessions. */
  redirect: boolean;
}

export interface Demo {
  setup(): Promise<DemoSetup>;
  start(wanted: NewCheck): Promise<CheckView>;
  simulate(id: string, ending: Ending): Promise<CheckView>;
  /** Polls the result, as a host without webhooks would. */
  fetchResult(id: string): Promise<CheckView>;
  view(id: string): CheckView;
  /** Returns the picture of the webhook at this position. */
  picture(id: string, place: number): Buffer;
  /** Subscribes to changes of a check. Returns the unsubscribe function. */
  watch(id: string, changed: () => void): () => void;
  /** Called when a session may have changed. */
  nudge(sessionId: SessionId): void;
  /** Stops all calls, for a service that shuts down. */
  giveUpCalls(): void;
  close(): Promise<void>;
}

export function createDemo(
  { baseUrl, apiKey, webhooksArrive, stateOf, clock, ids }: Omit<DemoContext, 'http'>,
  connect: (baseUrl: string) => Fetch,
): Demo {
  const checks = createCheckList(clock);
  const people = createPeopleList();
  const watchers = new Map<string, Set<() => void>>();
  const stop = new AbortController();
  const { signal } = stop;
  const receiver = createWebhookReceiver(receive);

  return {
    async setup() {
      return { baseUrl: baseUrl(), hasKey: (await apiKey()) !== undefined, webhooksArrive, people: people.list() };
    },

    async start({ kind, options, metadata: metadataText, redirect }) {
      const metadata = metadataText === undefined ? undefined : readMetadata(metadataText);
      const key = await apiKey();
      if (key === undefined) {
        throw new AppError('unavailable', 'There is no development key on this database; start with DEV_API_KEY set.');
      }
      const check = newCheck(ids.random(), kind, key, clock.now());
      checks.add(check);
      const callback = { url: await receiver.urlFor(check.id) };
      // In the fragment, which stays in the browser.
      const back = redirect || kind === 'verification' ? `${baseUrl()}/demo#${check.id}/back` : null;
      await call(check, 'create', async (limen) => {
        Object.assign(
          check,
          await HOST_CALLS[kind].create(
            limen,
            { options: { ...options, ...(metadata && { metadata }) }, callback, back },
            { signal },
          ),
        );
      });
      return show(check);
    },

    async simulate(id, ending) {
      const { check, name } = requireStarted(id);
      await call(check, 'simulate', (limen) => HOST_CALLS[check.kind].simulate(limen, name, ending, { signal }));
      await refresh(check);
      return show(check);
    },

    async fetchResult(id) {
      const { check, name } = requireStarted(id);
      await call(check, 'result', (limen) => HOST_CALLS[check.kind].result(limen, name, { signal }));
      return show(check);
    },

    view: (id) => show(requireCheck(id)),

    picture(id, place) {
      const picture = requireCheck(id).pictures.get(place);
      if (!picture) throw new AppError('not_found', 'No picture came in this webhook.');
      return picture;
    },

    watch(id, changed) {
      const callbacks = watchers.get(id) ?? new Set();
      watchers.set(id, callbacks.add(changed));
      return () => {
        callbacks.delete(changed);
        if (callbacks.size === 0 && watchers.get(id) === callbacks) watchers.delete(id);
      };
    },

    nudge(sessionId) {
      const check = checks.findBySession(sessionId);
      if (check) void refresh(check);
    },

    giveUpCalls: () => stop.abort(),
    close: () => receiver.close(),
  };

  /** Records one SDK call. The page shows a refusal, which is no failure of the demo. */
  async function call(check: Check, as: CallName, use: (limen: LimenClient) => Promise<unknown>): Promise<void> {
    const address = baseUrl();
    const keep = (exchange: ExchangeView) => change(check, { [as]: exchange });
    const fetch = recordExchange(connect(address), clock.now, keep);
    const limen = createLimenClient({ baseUrl: address, apiKey: check.apiKey, fetch, timeoutMs: CALL_TIMEOUT_MS });
    try {
      await use(limen);
    } catch (error) {
      if (!(error instanceof LimenError || error instanceof LimenConnectionError)) throw error;
    }
    tell(check);
  }

  async function receive(id: string, { headers, rawBody }: ReceivedWebhook): Promise<number> {
    const check = checks.find(id);
    if (!check) return 410; // forgotten: the service need not retry
    const { event, problem } = await verifyWebhook(rawBody, headers, check.apiKey, { now: clock.now }).then(
      ({ event }) => ({ event, problem: null }),
      (error: unknown) => ({ event: null, problem: error instanceof WebhookError ? error.code : 'malformed' }),
    );
    if (problem !== null && rawBody.length > MAX_FORGED_BYTES) return 413;
    const { body: sent, metadata } = readBody(rawBody.toString('utf8'));
    if (check.webhooks.length < MAX_WEBHOOKS) {
      const shown = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
      const { body, picture } = problem === null ? takePicture(sent) : { body: sent, picture: null };
      if (picture) check.pictures.set(check.webhooks.length, picture);
      const webhook = {
        at: clock.now(),
        headers: Object.fromEntries(shown),
        body,
        metadata,
        hasPicture: picture !== null,
        verified: problem === null,
        event,
        problem,
      };
      change(check, { webhooks: [...check.webhooks, webhook] });
    }
    const puid = problem === null ? enrolledPuid(check.create?.request.body, sent) : undefined;
    if (puid !== undefined) people.add({ puid, at: clock.now(), simulated: check.simulate !== null });
    // Reply first, then work.
    if (problem === null) setImmediate(() => void lookAtResult(check));
    return problem === null ? 204 : 400;
  }

  async function lookAtResult(check: Check): Promise<void> {
    const name = nameOf(check);
    if (name === null || signal.aborted) return;
    // The page can ask again, and its own call will report the problem.
    await call(check, 'result', (limen) => HOST_CALLS[check.kind].result(limen, name, { signal })).catch(() => {});
    await refresh(check);
  }

  async function refresh(check: Check): Promise<void> {
    const state = check.sessionId === null ? undefined : await stateOf(check.sessionId).catch(() => undefined);
    if (state === undefined || state === check.state) return;
    const opens = check.openedAt === null && (state === 'opened' || state === 'capturing');
    change(check, { state, ...(opens && { openedAt: clock.now() }) });
  }

  function change(check: Check, changes: Partial<Check>): void {
    Object.assign(check, changes);
    tell(check);
  }

  function tell({ id }: Check): void {
    for (const changed of [...(watchers.get(id) ?? [])]) changed();
  }

  function requireCheck(id: string): Check {
    const check = checks.find(id);
    if (!check)
      throw new AppError(
        'not_found',
        `There is no such check; the demo forgets after ${CHECK_MINUTES} minutes or a restart.`,
      );
    return check;
  }

  function requireStarted(id: string): { check: Check; name: string } {
    const check = requireCheck(id);
    const name = nameOf(check);
    if (name === null) throw new AppError('not_found', 'The service did not create a session for this check.');
    return { check, name };
  }
}

function readMetadata(text: string): Record<string, unknown> {
  try {
    return jsonText(text);
  } catch {
    throw new AppError('validation_failed', 'metadata must be JSON text, such as {"order":4711}.');
  }
}

type CallName = 'create' | 'simulate' | 'result';

/** Id by which the service knows the session. */
const nameOf = ({ token, sessionId }: Check): string | null => token ?? sessionId;

function newCheck(id: string, kind: CheckKind, apiKey: string, createdAt: number): Check {
  return {
    id,
    kind,
    apiKey,
    createdAt,
    token: null,
    sessionId: null,
    launchUrl: null,
    expiresAt: null,
    pictures: new Map(),
    state: 'created',
    openedAt: null,
    create: null,
    simulate: null,
    webhooks: [],
    result: null,
  };
}

/** The page's view, without key and token in any place. */
function show({ token, apiKey, sessionId: _, pictures: __, ...view }: Check): CheckView {
  return maskSecrets<CheckView>(view, { apiKey, token });
}
