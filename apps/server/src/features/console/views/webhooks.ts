// Webhooks of every customer, as the console's page and its part of the service speak of them.
import type { WebhookDelivery } from '@limen/contract';
import type { ActPlace } from '../../../core/audit/acts.ts';
import type { DeliveryCounts, DeliveryStage } from '../../../core/webhooks/browse-deliveries.ts';
import type { World } from '../../../platform/world.ts';

export type { DeliveryStage };

/** Hours up to now, or whole days (UTC) up to and including today, as in the overview. */
export type WebhookSpan = '1h' | '24h' | '7d' | '30d' | '90d' | '365d';

export interface WebhookFilters {
  /** Without it: deliveries that are retried and deliveries that were given up. */
  stage?: DeliveryStage;
  world?: World;
  key?: string;
  since?: WebhookSpan;
}

export interface WebhookRowView extends WebhookDelivery {
  stage: DeliveryStage;
  world: World;
  customer: string;
  key: { id: string; label: string | null };
  /** The place that still shows its session or watched subject; null if both are gone. */
  about: { place: ActPlace; id: string } | null;
}

export interface WebhookCountsView extends DeliveryCounts {
  /** End of the counting: a count above it stands for any number above it. */
  upTo: number;
}

export interface WebhookPageView {
  /** Counts of all stages, under the other filters. */
  counts: WebhookCountsView;
  webhooks: WebhookRowView[];
  next?: string;
}

export interface ResentView {
  /** Ids of deliveries that are sent again. */
  resent: string[];
  /** Ids of deliveries that no longer have a body, or no longer exist. */
  gone: string[];
}
