// A session: fields of all kinds, and the contents and outcome of its kind.
import type { Owner } from '../../platform/api-keys/owner.ts';
import type { SessionId, SessionToken } from '../../platform/base/ids.ts';
import type { SessionKind, SessionKinds } from './kinds.ts';
import type { SessionState } from './rules.ts';

export interface Session<Kind extends SessionKind = SessionKind> {
  id: SessionId;
  kind: Kind;
  token: SessionToken;
  owner: Owner;
  apiKeyId: string;
  state: SessionState;
  createdAt: number;
  expiresAt: number;
  contents: SessionKinds[Kind]['contents'];
  outcome: SessionKinds[Kind]['outcome'] | undefined;
}

export type AnySession = { [Kind in SessionKind]: Session<Kind> }[SessionKind];

export function isOfKind<Kind extends SessionKind>(
  session: AnySession,
  kind: Kind,
): session is AnySession & Session<Kind> {
  return session.kind === kind;
}
