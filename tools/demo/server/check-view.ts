// What the demo's page is shown of a check. By itself and without imports of the server, because the page shares it.
import type { WebhookEvent } from '@limen/sdk';

/** The demo keeps the latest checks, in memory only, for this long. */
export const MAX_CHECKS = 50;
export const CHECK_MINUTES = 60;

export interface BodyView {
  /** Parsed where it is JSON; null where there is none. */
  body: unknown;
  /** The text of its member `metadata`, in which parsing would round numbers; null where it has none. */
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

/** One call of the SDK as it went over the wire. */
export interface ExchangeView {
  /** Milliseconds since 1970. */
  at: number;
  request: SentRequest;
  /** Null while it is under way, and when none came. */
  reply: ReceivedReply | null;
}

export interface WebhookView extends BodyView {
  at: number;
  headers: Record<string, string>;
  verified: boolean;
  /** What it tells; null where it is not genuine. */
  event: WebhookEvent | null;
  /** Whether a picture came in it, which the body shows the beginning of only. */
  hasPicture: boolean;
  /** The SDK's code of what was wrong. */
  problem: string | null;
}

export type CheckState = 'created' | 'opened' | 'capturing' | 'completed' | 'cancelled' | 'expired';

/** An age session, or one that enrols or recognises a face. */
export type CheckKind = 'age' | 'verification';

export interface CheckView {
  id: string;
  kind: CheckKind;
  createdAt: number;
  create: ExchangeView | null;
  /** Where the person starts; null when the service refused. */
  launchUrl: string | null;
  expiresAt: string | null;
  state: CheckState;
  /** When a device claimed the session. A host is not told so; the demo looks at its own service. */
  openedAt: number | null;
  simulate: ExchangeView | null;
  webhooks: WebhookView[];
  result: ExchangeView | null;
}

/** Somebody whom an ENROLL of the demo gave. */
export interface PersonView {
  puid: string;
  /** Milliseconds since 1970. */
  at: number;
  /** Nobody is behind it, and no face will match. */
  simulated: boolean;
}

/** What the page has to know before the first check. */
export interface DemoSetup {
  /** Address of the service, for the code that is shown. */
  baseUrl: string;
  /** Whether there is a development key to call the service with. */
  hasKey: boolean;
  /** Whether the service may call the demo's receiver. */
  webhooksArrive: boolean;
  people: PersonView[];
}
