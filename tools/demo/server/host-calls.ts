// Differences between the two kinds of checks for a host: SDK calls that create, end and read a
// session.
import type {
  CreateAgeSessionRequest,
  CreateVerificationSessionRequest,
  SimulateAgeSessionRequest,
  SimulateVerificationSessionRequest,
} from '@limen/contract';
import type { CallOptions, LimenClient } from '@limen/sdk';
import { named, type SessionId } from '../../../apps/server/src/platform/base/ids.ts';
import type { CheckKind } from './check-view.ts';

export interface Ending {
  outcome: SimulateAgeSessionRequest['outcome'] | SimulateVerificationSessionRequest['outcome'];
  /** For age sessions: the person's proof. */
  proof?: SimulateAgeSessionRequest['proof'];
}

export interface StartedSession {
  launchUrl: string;
  sessionId: SessionId | null;
  /** Credential for the result, if it is not the key alone. */
  token: string | null;
  expiresAt: string | null;
}

interface HostCalls {
  /**
   * `back`: the final redirect. The service validates the options, and its refusal is part of the
   * demo.
   */
  create(
    limen: LimenClient,
    request: { options: Record<string, unknown>; callback: { url: string }; back: string | null },
    call: CallOptions,
  ): Promise<StartedSession>;
  /** `name`: the token, or the session's id if there is none. */
  simulate(limen: LimenClient, name: string, ending: Ending, call: CallOptions): Promise<unknown>;
  result(limen: LimenClient, name: string, call: CallOptions): Promise<unknown>;
}

const AGE: HostCalls = {
  async create(limen, { options: { redirectUrl: _, ...options }, callback, back }, call) {
    const request: CreateAgeSessionRequest = { ...options, callback, ...(back !== null && { redirectUrl: back }) };
    const { token, launchUrl, expiresAt } = await limen.ageSessions.create(request, call);
    const sessionId = new URL(launchUrl).searchParams.get('sessionId');
    return { token, launchUrl, expiresAt, sessionId: sessionId === null ? null : named(sessionId) };
  },
  simulate: (limen, token, ending, call) =>
    limen.ageSessions.simulate(token, { ...ending } as SimulateAgeSessionRequest, call),
  result: (limen, token, call) => limen.ageSessions.result(token, call),
};

const VERIFICATION: HostCalls = {
  async create(limen, { options, callback, back }, call) {
    const request = { ...options, callback, redirectURL: back } as CreateVerificationSessionRequest;
    const { launchUrl, sessionId } = await limen.verificationSessions.create(request, call);
    return { launchUrl, sessionId: named(sessionId), token: null, expiresAt: null };
  },
  simulate(limen, sessionId, ending, call) {
    const outcome = ending.outcome as SimulateVerificationSessionRequest['outcome'];
    return limen.verificationSessions.simulate(sessionId, { outcome }, call);
  },
  result: (limen, sessionId, call) => limen.verificationSessions.getResult(sessionId, call),
};

export const HOST_CALLS: Readonly<Record<CheckKind, HostCalls>> = { age: AGE, verification: VERIFICATION };
