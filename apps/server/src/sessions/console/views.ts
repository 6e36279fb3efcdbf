// Views of sessions, their webhooks and people. The page of the console imports these types.
export type { TimelineEntry } from '../../review/case.ts';
export type { SessionKind } from '../lifecycle/kinds.ts';
export type { SessionState } from '../lifecycle/rules.ts';
export type { Recommendation } from '../risk/evaluate.ts';
export type { DeliveryStage } from './browse-deliveries.ts';
export type { DeletedPersonView, PersonView, RetentionView } from './people-routes.ts';
export type { DeliveryView, RevealedSession, SessionRowView, SessionView } from './present.ts';
export type { FilterChoices, SessionFilters, SessionPageView } from './routes.ts';
export type {
  ResentView,
  WebhookCountsView,
  WebhookFilters,
  WebhookPageView,
  WebhookRowView,
} from './webhook-routes.ts';
