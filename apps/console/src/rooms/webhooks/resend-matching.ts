// Resends every listed webhook page by page, so that calls stay short and the run can be stopped.
import type { ResentView, WebhookFilters, WebhookPageView } from '@limen/server/console/sessions';

/** Maximum webhooks of one run. */
export const MAX_RUN = 1_000;

export interface ResendTotals {
  resent: number;
  gone: number;
  /** True if the limit was reached or the run was stopped. */
  isCut: boolean;
}

interface ResendMatching {
  filters: WebhookFilters;
  search(filters: WebhookFilters, after?: string): Promise<WebhookPageView>;
  resend(ids: readonly string[]): Promise<ResentView>;
  onProgress(resent: number): void;
  isStopped(): boolean;
  limit?: number;
}

/** Goes from newer to older. A webhook that fails again keeps its place, so each is resent once. */
export async function resendMatching(options: ResendMatching): Promise<ResendTotals> {
  const { filters, search, resend, onProgress, isStopped, limit = MAX_RUN } = options;
  const totals = { resent: 0, gone: 0 };
  let after: string | undefined;
  do {
    const page = await search(filters, after);
    const ids = page.webhooks.filter(({ canResend }) => canResend).map(({ id }) => id);
    const room = limit - totals.resent - totals.gone;
    const taken = ids.slice(0, room);
    if (taken.length > 0) {
      const { resent, gone } = await resend(taken);
      totals.resent += resent.length;
      totals.gone += gone.length;
      onProgress(totals.resent);
    }
    if (taken.length < ids.length) return { ...totals, isCut: true };
    after = page.next;
    if (after !== undefined && isStopped()) return { ...totals, isCut: true };
  } while (after !== undefined);
  return { ...totals, isCut: false };
}
