// Calls to the service.
import type {
  AnswerView,
  AuditActorView,
  AuditPageView,
  AwayView,
  ConfirmableAct,
  CreatedKeyView,
  InvitedView,
  InviteView,
  KeyView,
  MeView,
  MyPasskeysView,
  NewKeyView,
  OperatorView,
  QuestionView,
  Role,
  SignInOptionsView,
} from '@limen/server/console';
import type { AnchorView, JobsView, OverviewView, SystemView } from '@limen/server/console/operations';
import type * as sessions from '@limen/server/console/sessions';
import { get, post, REFRESH } from './call.ts';

export const api = {
  me: () => get<MeView>('me'),
  openInvite: (invite: string) => post<InviteView>('invite/question', { invite }),
  register: (invite: string, answer: AnswerView) => post('invite', { invite, ...answer }),
  askSignIn: () => post<QuestionView>('sign-in/question'),
  waysIn: () => get<SignInOptionsView>('sign-in'),
  leaveForProvider: () => post<AwayView>('sign-in/provider'),
  signIn: (answer: AnswerView) => post('sign-in', answer),
  signOut: () => post('sign-out'),
  endSession: (id: string) => post(`my-sessions/${id}/end`),
  passkeys: () => get<MyPasskeysView>('my-passkeys'),
  removePasskey: (id: string, answer: AnswerView) => post(`my-passkeys/${id}/remove`, answer),
  ask: (act: ConfirmableAct, about: string) => post<QuestionView>('question', { act, about }),

  choices: () => get<sessions.FilterChoices>('sessions/choices'),
  search: (filters: sessions.SessionFilters, more: { after?: string; version?: string } = {}) =>
    post<sessions.SessionPageView>(
      'sessions/search',
      { ...filters, ...more },
      more.version === undefined ? {} : REFRESH,
    ),
  session: (id: string, isRefresh = false) =>
    get<sessions.SessionView>(`sessions/${encodeURIComponent(id)}`, isRefresh ? REFRESH : {}),
  reveal: (id: string) => post<sessions.RevealedSession>(`sessions/${id}/reveal`),
  redact: (id: string, answer: AnswerView) => post(`sessions/${id}/redact`, answer),

  webhooks: (filters: sessions.WebhookFilters, after?: string) =>
    post<sessions.WebhookPageView>('webhooks/search', { ...filters, ...(after !== undefined && { after }) }),
  resend: (ids: readonly string[]) => post<sessions.ResentView>('webhooks/resend', { ids }),

  keys: async () => (await get<{ keys: KeyView[] }>('keys')).keys,
  createKey: (key: NewKeyView, answer: AnswerView) => post<CreatedKeyView>('keys', { ...key, ...answer }),
  labelKey: (id: string, label: string) => post<KeyView>(`keys/${id}/label`, { label }),
  limitKey: (id: string, origins: string[], answer: AnswerView) =>
    post<KeyView>(`keys/${id}/origins`, { origins, ...answer }),
  revokeKey: (id: string, answer: AnswerView) => post<KeyView>(`keys/${id}/revoke`, answer),

  operators: async () => (await get<{ operators: OperatorView[] }>('operators')).operators,
  inviteOperator: (name: string, role: Role, answer: AnswerView) =>
    post<InvitedView>('operators/invite', { name, role, ...answer }),
  signOutOperator: (id: string) => post(`operators/${id}/sign-out`),
  removeOperator: (id: string, answer: AnswerView) => post(`operators/${id}/remove`, answer),
  removePasskeyOf: (id: string, passkeyId: string, answer: AnswerView) =>
    post(`operators/${id}/passkeys/${passkeyId}/remove`, answer),

  system: () => get<SystemView>('system'),
  jobs: () => get<JobsView>('system/jobs'),
  retryJob: (id: string) => post(`system/jobs/${id}/retry`),
  anchors: async () => (await get<{ anchors: AnchorView[] }>('system/trust')).anchors,

  retention: async () => (await get<{ settings: sessions.RetentionView[] }>('retention')).settings,
  findPerson: (puid: string) => post<sessions.PersonView>('people/find', { puid }),
  exportPerson: (puid: string) => post('people/export', { puid }),
  deletePerson: (puid: string, answer: AnswerView) =>
    post<sessions.DeletedPersonView>('people/delete', { puid, ...answer }),

  overview: (filters: Readonly<Record<string, string>>) =>
    get<OverviewView>(`overview?${new URLSearchParams(filters)}`),

  audit: (filters: Readonly<Record<string, string>>, before?: number) => {
    const query = new URLSearchParams({ ...filters, ...(before !== undefined && { before: String(before) }) });
    return get<AuditPageView>(`audit?${query}`);
  },
  auditWho: async () => (await get<{ who: AuditActorView[] }>('audit/who')).who,
};
