// A host application with its key: its legitimate calls, and those of attackers.
import { randomUUID } from 'node:crypto';
import type { AgeSessionResult, CreatedAgeSession, VerificationSessionResult } from '@limen/contract';
import type { Reply, Speaker } from './speak.ts';

export interface HostKey {
  apiKey: string;
  clientId?: string | undefined;
  clientSecret?: string | undefined;
}

export interface OpenedAgeSession {
  id: string;
  token: string;
}

export interface Host extends HostKey {
  /** Sent with the key, and with the client credentials if it has any. */
  headers: Record<string, string>;
  call(method: string, path: string, body?: object, headers?: Record<string, string>): Promise<Reply>;
  openAgeSession(body?: object): Promise<OpenedAgeSession>;
  ageResult(token: string): Promise<AgeSessionResult>;
  /** Creates a verification session with all required fields and returns its id. */
  startVerification(type: string, more?: object): Promise<string>;
  verificationResult(sessionId: string): Promise<VerificationSessionResult>;
  trustDevice(sessionId: string): Promise<void>;
}

/** No one listens there, and nothing leaves this machine. */
export const NO_RECEIVER = 'http://127.0.0.1:1/hook';

export function openHost(speaker: Speaker, key: HostKey): Host {
  const { apiKey, clientId, clientSecret } = key;
  const basic = clientId === undefined ? {} : { authorization: basicOf(clientId, clientSecret ?? '') };
  const headers: Record<string, string> = { 'x-api-key': apiKey, ...basic };
  const host: Host = {
    ...key,
    headers,
    call: (method, path, body, more = {}) =>
      speaker.send({ method, path, headers: { ...headers, ...more }, ...(body && { body }) }),
    async openAgeSession(body = {}) {
      const { launchUrl, token } = expectStatus(
        await host.call('POST', '/session', body),
        201,
      ).json<CreatedAgeSession>();
      return { id: new URL(launchUrl).searchParams.get('sessionId') ?? '', token };
    },
    async ageResult(token) {
      return expectStatus(await host.call('GET', `/session/${token}/result`), 200).json<AgeSessionResult>();
    },
    async startVerification(type, more = {}) {
      const body = { ...verificationBody(type), ...more };
      return expectStatus(await host.call('POST', '/v2/verification-session', body), 201).json<{ sessionId: string }>()
        .sessionId;
    },
    async verificationResult(sessionId) {
      const reply = await host.call('GET', `/v2/verification-session/${sessionId}/result`);
      return expectStatus(reply, 200).json<VerificationSessionResult>();
    },
    async trustDevice(sessionId) {
      expectStatus(await host.call('POST', `/v2/verification-session/${sessionId}/trust-device`), 204);
    },
  };
  return host;
}

export function basicOf(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

/** The host's secret, which only the redirected browser may return. */
export function verificationBody(type: string): Record<string, unknown> {
  return {
    type,
    redirectURL: `https://shop.example/done?nonce=${randomUUID()}`,
    callback: { url: NO_RECEIVER },
    ...(type === 'ENROLL' ? {} : { locale: 'en' }),
  };
}

function expectStatus(reply: Reply, status: number): Reply {
  if (reply.status !== status) throw new Error(`${reply.label} instead of ${status}: ${reply.text.slice(0, 200)}`);
  return reply;
}
