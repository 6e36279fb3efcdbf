// The demo page's view of a check. Without imports of the server, because the page shares it.
import type { WebhookEvent } from '@limen/sdk';

/** Retention of the latest checks, in memory only. */
export const MAX_CHECKS = 50;
export const CHECK_MINUTES = 60;

export interface BodyView {
  /** Parsed if it is JSON, otherwise null. */
  body: unknown;
  /** Text of its member `metadata`, in which parsing would round numbers. Null if absent. */
  metadata: string | null;
}

export interface SentRequest extends BodyView {
  method: string;
  url: string;
  headers: Record<string, string>;
}

export interface ReceivedReply extends BodyView {
  status: number;
  headers: Record<string, string>;
}

/** A call of the SDK on the wire. */
export interface ExchangeView {
  /** Milliseconds since 1970. */
  at: number;
  request: SentRequest;
  /** Null while pending, and if none was received. */
  reply: ReceivedReply | null;
}

export interface WebhookView extends BodyView {
  at: number;
  headers: Record<string, string>;
  verified: boolean;
  /** Event. Null if the webhook is not genuine. */
  event: WebhookEvent | null;
  /** True if it contains a picture, of which the body shows only the beginning. */
  hasPicture: boolean;
  /** The SDK's error code. */
  problem: string | null;
}

export type CheckState = 'created' | 'opened' | 'capturing' | 'completed' | 'cancelled' | 'expired';

/** An age session, or a session that enrolls or recognizes a face. */
export type CheckKind = 'age' | 'verification';

export interface CheckView {
  id: string;
  kind: CheckKind;
  createdAt: number;
  create: ExchangeView | null;
  /** URL for the person. Null if the service refused. */
  launchUrl: string | null;
  expiresAt: string | null;
  state: CheckState;
  /**
   * When a device claimed the session. Hosts do not learn this; the demo reads it from its own
   * service.
   */
  openedAt: number | null;
  simulate: ExchangeView | null;
  webhooks: WebhookView[];
  result: ExchangeView | null;
}

/** A person from one of the demo's ENROLL checks. */
export interface PersonView {
  puid: string;
  /** Milliseconds since 1970. */
  at: number;
  /** Whether the person was simulated, so that no face will match. */
  simulated: boolean;
}

/** Facts that the page needs before the first check. */
export interface DemoSetup {
  /** URL of the service, for the displayed code. */
  baseUrl: string;
  /** Whether there is a development key for the service. */
  hasKey: boolean;
  /** Whether the service may call the demo's receiver. */
  webhooksArrive: boolean;
  people: PersonView[];
}
