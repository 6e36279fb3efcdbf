// A device client without a service. It follows the protocol unless a test changes that.
import type {
  CarriedSteps,
  DeviceClient,
  DevicePlan,
  DeviceView,
  HandoffLook,
  HandoffOptions,
  LogEntry,
  ProofCalls,
  TokenParts,
  VerificationCalls,
} from '@limen/sdk/device';
import { LimenConnectionError, LimenError } from '@limen/sdk/device';
import type { FakePlatform } from './fake-platform.ts';

type KindCalls = VerificationCalls & ProofCalls;
/** Calls of one kind of session only. */
type VerificationCall = keyof KindCalls;
type HandoffCall = 'handoff' | 'look' | 'decline' | 'sendReturnCode';
type CallName = 'view' | 'claim' | 'record' | 'submit' | 'cancel' | HandoffCall | VerificationCall;
type Mishap = Error | (() => Promise<unknown>);
type Findings = Parameters<DeviceClient['submit']>[0];

export interface FakeDeviceClient extends DeviceClient {
  /** Sets the results of the next calls of this name, one each. Later calls succeed. */
  meet(name: CallName, ...mishaps: Mishap[]): void;
  /** Sets the result of all calls of the name; undefined resets it. */
  meetAlways(name: CallName, mishap: Mishap | undefined): void;
  /** Sets the replies to the next calls of this name. Later calls accept everything. */
  answer<Name extends VerificationCall>(name: Name, ...replies: Awaited<ReturnType<KindCalls[Name]>>[]): void;
  /** Changes the session on the service. */
  change(changes: Partial<DeviceView>): void;
  /** Changes the session and notifies followers. */
  pushView(changes: Partial<DeviceView>): void;
  /** Advances the server's clock while the device sleeps. */
  passOnServer(ms: number): void;
  /** Calls in order, as `name` or `name detail`. */
  readonly calls: readonly string[];
  readonly submitted: readonly Findings[];
  readonly tokens: readonly TokenParts[];
  readonly selfies: readonly Uint8Array[];
  /** Data of each handoff. */
  readonly handedOn: readonly HandoffOptions[];
  /** Number of active followers. */
  readonly following: number;
}

interface FakeClientOptions {
  platform: FakePlatform;
  plan: DevicePlan;
  view?: Partial<DeviceView>;
  /** Log from before a reload. */
  reported?: readonly LogEntry[];
  /** Findings of the previous device. */
  carried?: CarriedSteps;
}

const BEGIN = Date.parse('2026-03-01T12:00:00.000Z');
const LIFE_MS = 15 * 60_000;
export const ASKS: DeviceView['asks'] = {
  requester: 'Shop',
  operation: 'AGE',
  steps: ['face'],
  mayAskForDocument: false,
  sendsAge: false,
  sharesSelfie: false,
  contact: [],
  passkey: false,
  light: false,
};
/** Information about the device that hands off. */
export const LOOK: HandoffLook = {
  requester: 'Shop',
  redirectOrigin: 'https://shop.example',
  choices: ['17', '42', '83'],
  began: { browser: 'Chrome', system: 'Windows', at: '2026-03-01T11:57:00.000Z' },
};
/** The shown number, and the return code. */
export const NUMBER = '42';
export const RETURN_CODE = '271828';
export const REDIRECT = 'https://shop.example/after';

export const offline = (): Error => new LimenConnectionError('connection_failed', 'no network', undefined);
export function refused(status: number, code: string): Error {
  return new LimenError(code, { status, code });
}

export function createFakeClient({
  platform,
  plan,
  view,
  reported = [],
  carried,
}: FakeClientOptions): FakeDeviceClient {
  const calls: string[] = [];
  const submitted: Findings[] = [];
  const tokens: TokenParts[] = [];
  const selfies: Uint8Array[] = [];
  const handedOn: HandoffOptions[] = [];
  const replies = new Map<VerificationCall, unknown[]>();
  const replyOr = <Reply>(name: VerificationCall, usual: Reply): Reply => {
    const reply = replies.get(name)?.shift();
    return reply === undefined ? usual : (reply as Reply);
  };
  const mishaps = new Map<CallName, Mishap[]>();
  const always = new Map<CallName, Mishap>();
  const born = platform.now();
  let aheadMs = 0;
  const onViews = new Set<(view: DeviceView) => void>();
  const toTime = (now: number) => new Date(BEGIN + aheadMs + now - born).toISOString();
  let log: LogEntry[] = [];
  let pendingViews: DeviceView[] = [];
  let wake = () => {};
  let following = 0;
  let session: DeviceView = {
    sessionId: plan.sessionId,
    state: 'created',
    expiresAt: toTime(born + LIFE_MS),
    serverTime: '',
    locale: 'en',
    enableDesktop: true,
    role: 'none',
    handoff: 'offered',
    asks: ASKS,
    ...view,
  };

  const look = (): DeviceView => ({ ...session, serverTime: toTime(platform.now()) });
  const notifyListeners = () => {
    for (const callback of onViews) callback(look());
  };
  const finish = (end: NonNullable<DeviceView['end']>, state: DeviceView['state']): DeviceView => {
    session = { ...session, state, end };
    return look();
  };
  const refuseAfterEnd = () => {
    if (session.end) throw refused(409, 'session_ended');
  };
  async function call<Result>(name: CallName, detail: unknown, signal: AbortSignal | undefined, work: () => Result) {
    calls.push(detail === undefined ? name : `${name} ${String(detail)}`);
    signal?.throwIfAborted();
    const mishap = mishaps.get(name)?.shift() ?? always.get(name);
    if (mishap instanceof Error) throw mishap;
    await (mishap ? untilAborted(mishap(), signal) : Promise.resolve());
    signal?.throwIfAborted();
    const result = work();
    if (name !== 'handoff') notifyListeners();
    return result;
  }

  return {
    sessionId: plan.sessionId,
    view: ({ signal } = {}) => call('view', undefined, signal, look),
    claim: ({ code, number, signal } = {}) =>
      call('claim', code && `${code} ${number}`, signal, () => {
        refuseAfterEnd();
        if (code && number !== NUMBER) throw refused(403, 'handoff_number_refused');
        if (log.length === 0) log = [...reported];
        session = { ...session, role: 'active', state: session.state === 'created' ? 'opened' : session.state };
        return plan;
      }),
    async record(event, index) {
      log.push([event, index, platform.now() - born]);
      await call('record', `${event} ${index}`, undefined, refuseAfterEnd);
      session = { ...session, state: 'capturing' };
    },
    log: () => [...log],
    submit: (findings, { finish: last, signal } = {}) =>
      call('submit', undefined, signal, () => {
        refuseAfterEnd();
        if (last !== undefined) log.push(['finished', last, platform.now() - born]);
        submitted.push(structuredClone(findings));
        const errors = findings.face?.spoof ? [1] : [];
        return finish({ flowStatus: 'COMPLETED', errors, redirectUrl: REDIRECT }, 'completed');
      }),
    cancel: (code, { signal } = {}) =>
      call('cancel', code, signal, () => {
        if (session.end) return look();
        const errors = code === undefined ? [] : [code];
        return finish({ flowStatus: 'CANCELLED', errors, redirectUrl: REDIRECT }, 'cancelled');
      }),
    handoff: ({ signal, ...said }) =>
      call('handoff', undefined, signal, () => {
        handedOn.push(structuredClone(said));
        const made = handedOn.length;
        const expiresAt = toTime(platform.now() + 5 * 60_000);
        const { wrongNumber: _, handoffDeclined: __, ...rest } = session;
        session = rest;
        const url = `https://limen.example/launch#handoff=${made}`;
        return { url, code: `${made}`, number: NUMBER, expiresAt, carried: [] };
      }),
    look: (code, { signal } = {}) => call('look', code, signal, () => LOOK),
    decline: (code, { signal } = {}) => call('decline', code, signal, () => undefined),
    carried: () => carried,
    sendReturnCode: (code, { signal } = {}) =>
      call('sendReturnCode', code, signal, () => {
        const { returnCodeTriesLeft = 0, ...end } = session.end!;
        const isRight = code === RETURN_CODE && returnCodeTriesLeft > 0;
        const left = { ...end, returnCodeTriesLeft: Math.max(returnCodeTriesLeft - 1, 0) };
        session = { ...session, end: isRight ? { ...end, redirectUrl: REDIRECT } : left };
        if (!isRight) throw refused(403, 'return_code_refused');
        return look();
      }),
    tokenChallenge: ({ signal } = {}) =>
      call('tokenChallenge', undefined, signal, () => {
        const step = plan.steps.find((planned) => planned.step === 'token');
        const usual = {
          outcome: 'ready' as const,
          challenge: 'challenge',
          publicKey: btoa('one-time key'),
          signature: btoa('signature'),
          identity: btoa('identity'),
          purpose: 'identify' as const,
        };
        const expiresAt = toTime(platform.now() + 60_000);
        return replyOr('tokenChallenge', { ...usual, expiresAt, modelId: step?.modelId ?? '' });
      }),
    sendToken: (pieces, { signal } = {}) =>
      call('sendToken', undefined, signal, () => {
        tokens.push(pieces);
        const step = plan.steps.find((planned) => planned.step === 'token');
        const outcome = step?.operation === 'ENROLL' ? ('enrolled' as const) : ('matched' as const);
        const deviceId = pieces.deviceKey && { deviceId: `device-${tokens.length}` };
        return replyOr('sendToken', { outcome, triesLeft: 2, ...deviceId });
      }),
    signInLocally: ({ deviceId }, { signal } = {}) =>
      call('signInLocally', deviceId, signal, () => replyOr('signInLocally', { outcome: 'matched' as const })),
    forgetDevice: ({ deviceId }, { signal } = {}) => call('forgetDevice', deviceId, signal, () => undefined),
    passkeyOptions: ({ signal } = {}) =>
      call('passkeyOptions', undefined, signal, () => replyOr('passkeyOptions', { publicKey: { challenge: 'c' } })),
    sendPasskey: (_response, { signal } = {}) =>
      call('sendPasskey', undefined, signal, () =>
        replyOr('sendPasskey', { outcome: 'accepted' as const, triesLeft: 2 }),
      ),
    ageKeyOptions: ({ signal } = {}) =>
      call('ageKeyOptions', undefined, signal, () => replyOr('ageKeyOptions', { publicKey: { challenge: 'c' } })),
    useAgeKey: (_response, { signal } = {}) =>
      call('useAgeKey', undefined, signal, () => {
        const reply = replyOr('useAgeKey', { outcome: 'accepted' as const, triesLeft: 5 });
        if (reply.outcome === 'accepted') {
          finish({ flowStatus: 'COMPLETED', errors: [], redirectUrl: REDIRECT }, 'completed');
        }
        return reply;
      }),
    walletOptions: ({ signal } = {}) =>
      call('walletOptions', undefined, signal, () =>
        replyOr('walletOptions', { requests: [{ protocol: 'org-iso-mdoc', data: { deviceRequest: 'r' } }] }),
      ),
    walletLinks: ({ sameDevice, signal } = {}) =>
      call('walletLinks', sameDevice ? 'here' : undefined, signal, () =>
        replyOr('walletLinks', {
          links: [{ profile: 'eu_age', link: 'av://?client_id=x' }],
          expiresAt: toTime(platform.now() + 5 * 60_000),
          triesLeft: 5,
        }),
      ),
    useWallet: ({ data }, { signal } = {}) =>
      call('useWallet', 'error' in data ? String(data['error']) : undefined, signal, () => {
        const reply = replyOr('useWallet', { outcome: 'accepted' as const, triesLeft: 5 });
        if (reply.outcome === 'accepted') {
          finish({ flowStatus: 'COMPLETED', errors: [], redirectUrl: REDIRECT }, 'completed');
        }
        return reply;
      }),
    finishWalletLink: (responseCode, { signal } = {}) =>
      call('finishWalletLink', responseCode, signal, () => {
        const reply = replyOr('finishWalletLink', { outcome: 'accepted' as const, triesLeft: 5 });
        if (reply.outcome === 'accepted') {
          finish({ flowStatus: 'COMPLETED', errors: [], redirectUrl: REDIRECT }, 'completed');
        }
        return reply;
      }),
    newAgeKeyOptions: ({ signal } = {}) =>
      call('newAgeKeyOptions', undefined, signal, () => replyOr('newAgeKeyOptions', { publicKey: { challenge: 'c' } })),
    makeAgeKey: (_response, { signal } = {}) =>
      call('makeAgeKey', undefined, signal, () => replyOr('makeAgeKey', { outcome: 'made' as const })),
    sendSelfie: (jpeg, { signal } = {}) =>
      call('sendSelfie', undefined, signal, () => void selfies.push(Uint8Array.from(jpeg))),
    onView(callback) {
      onViews.add(callback);
      return () => void onViews.delete(callback);
    },
    async *follow({ signal } = {}) {
      following += 1;
      try {
        yield look();
        for (;;) {
          signal?.throwIfAborted();
          const next = pendingViews.shift();
          if (next) yield next;
          if (next?.end) return;
          const change = new Promise<void>((resolve) => {
            wake = resolve;
          });
          if (pendingViews.length === 0) await untilAborted(change, signal);
        }
      } finally {
        following -= 1;
      }
    },

    meet: (name, ...more) => void mishaps.set(name, [...(mishaps.get(name) ?? []), ...more]),
    meetAlways: (name, mishap) => void (mishap ? always.set(name, mishap) : always.delete(name)),
    answer: (name, ...more) => void replies.set(name, [...(replies.get(name) ?? []), ...more]),
    tokens,
    selfies,
    handedOn,
    change(changes) {
      session = { ...session, ...changes };
    },
    pushView(changes) {
      session = { ...session, ...changes };
      pendingViews = [...pendingViews, look()];
      wake();
    },
    passOnServer(ms) {
      aheadMs += ms;
    },
    calls,
    submitted,
    get following() {
      return following;
    },
  };
}

/** Resolves with the promise, or rejects with the signal's reason if that comes first. */
export function untilAborted<Result>(promise: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    promise.then(resolve, reject);
  });
}
