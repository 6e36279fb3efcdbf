// The page's way to its service: relative to the page's address, so that it works behind any path prefix.
import type {
  AnswerView,
  AuditPageView,
  ConfirmableAct,
  CreatedKeyView,
  FilterChoices,
  InviteView,
  KeyView,
  MeView,
  NewKeyView,
  QuestionView,
  RevealedView,
  SessionFilters,
  SessionPageView,
  SessionView,
} from '@limen/server/console';
import { TEXTS } from './texts.ts';

/** A refusal, with a sentence for the reader. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Told when a call finds that nobody is signed in any more. */
let onSignedOut = () => {};
export function whenSignedOut(told: () => void): void {
  onSignedOut = told;
}

/** A page that looks again by itself keeps nobody signed in. */
const REFRESH = { 'x-limen-refresh': '1' };

export const api = {
  me: () => get<MeView>('me'),
  openInvite: (invite: string) => post<InviteView>('invite/question', { invite }),
  register: (invite: string, answer: AnswerView) => post('invite', { invite, ...answer }),
  askSignIn: () => post<QuestionView>('sign-in/question'),
  signIn: (answer: AnswerView) => post('sign-in', answer),
  signOut: () => post('sign-out'),
  endSession: (id: string) => post(`my-sessions/${id}/end`),
  ask: (act: ConfirmableAct, about: string) => post<QuestionView>('question', { act, about }),

  choices: () => get<FilterChoices>('sessions/choices'),
  search: (filters: SessionFilters, more: { after?: string; version?: string } = {}) =>
    post<SessionPageView>('sessions/search', { ...filters, ...more }, more.version === undefined ? {} : REFRESH),
  session: (id: string, isRefresh = false) =>
    get<SessionView>(`sessions/${encodeURIComponent(id)}`, isRefresh ? REFRESH : {}),
  reveal: (id: string) => post<RevealedView>(`sessions/${id}/reveal`),
  redact: (id: string, answer: AnswerView) => post(`sessions/${id}/redact`, answer),
  resend: (id: string, deliveryId: string) => post(`sessions/${id}/deliveries/${deliveryId}/resend`),

  keys: async () => (await get<{ keys: KeyView[] }>('keys')).keys,
  createKey: (key: NewKeyView, answer: AnswerView) => post<CreatedKeyView>('keys', { ...key, ...answer }),
  labelKey: (id: string, label: string) => post<KeyView>(`keys/${id}/label`, { label }),
  revokeKey: (id: string, answer: AnswerView) => post<KeyView>(`keys/${id}/revoke`, answer),

  audit: (before?: number) => get<AuditPageView>(`audit${before === undefined ? '' : `?before=${before}`}`),
};

const get = <T>(path: string, headers: Record<string, string> = {}) => send<T>(path, { headers });

const post = <T = object>(path: string, body: object = {}, headers: Record<string, string> = {}) =>
  send<T>(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

async function send<T>(path: string, init: RequestInit): Promise<T> {
  const address = new URL(`console/api/${path}`, new URL('.', location.href));
  const response = await fetch(address, { ...init, cache: 'no-store' }).catch(() => {
    throw new ApiError(0, TEXTS.failed);
  });
  const reply: unknown = await response.json().catch(() => undefined);
  if (response.ok) return reply as T;
  if (response.status === 401) onSignedOut();
  const { message } = (reply ?? {}) as { message?: string };
  throw new ApiError(response.status, message ?? TEXTS.failed);
}
