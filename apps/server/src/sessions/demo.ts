// The demo of a development checkout, as sessions open it.
import type { Clock } from '../platform/base/clock.ts';
import type { Ids, SessionId } from '../platform/base/ids.ts';
import type { HttpServer } from '../platform/http/types.ts';
import type { SessionState } from './lifecycle/rules.ts';

/** A host application that development shows next to the service; `tools/demo` has it. */
export type OpenDemo = (context: DemoContext) => {
  /** Asks for the state of a session that may have changed. */
  nudge(sessionId: SessionId): void;
  close(): Promise<void>;
};

export interface DemoContext {
  http: HttpServer;
  clock: Clock;
  ids: Ids;
  baseUrl: () => string;
  /** Returns the development key, or undefined if there is none. */
  apiKey: () => Promise<string | undefined>;
  /** Whether the service may call loopback. */
  webhooksArrive: boolean;
  stateOf: (sessionId: SessionId) => Promise<SessionState | undefined>;
}
