// Views of sessions, their webhooks and people. The page of the console imports these types.
import type { World } from '../../platform/base/world.ts';
import type { TimelineEntry } from '../../review/case.ts';
import type { SessionKind } from '../lifecycle/kinds.ts';
import type { SessionState } from '../lifecycle/rules.ts';
import type { Recommendation } from '../risk/evaluate.ts';
import type { DeliveryStage } from './browse-deliveries.ts';
import type { SessionRowView } from './present.ts';
import type { WebhookRowView } from './webhook-routes.ts';

export type { PersonView, RetentionView } from './people-routes.ts';
export type { DeliveryView, RevealedView, SessionView } from './present.ts';
export type { ResentView, WebhookCountsView, WebhookFilters, WebhookPageView } from './webhook-routes.ts';
export type { DeliveryStage, Recommendation, SessionKind, SessionRowView, SessionState, TimelineEntry, WebhookRowView };

export interface SessionFilters {
  kind?: SessionKind;
  state?: SessionState;
  world?: World;
  outcome?: string;
  recommendation?: Recommendation;
  flag?: string;
  key?: string;
  id?: string;
  from?: number;
  until?: number;
  /** Name that the host gave; sent in bodies, never in addresses */
  transactionId?: string;
}

export interface SessionPageView {
  /** Changes whenever the list does */
  version: string;
  /** Left out if the version is the requested one */
  sessions?: SessionRowView[];
  next?: string;
}

export interface FilterChoices {
  outcomes: readonly string[];
  flags: readonly string[];
  keys: { id: string; label: string | null; world: World }[];
}

export interface DeletedPersonView {
  receipt: string;
}
