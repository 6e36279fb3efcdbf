// Resends a list of many pages: each webhook once, bounded, and stoppable.
import type { WebhookPageView, WebhookRowView } from '@limen/server/console/sessions';
import { describe, expect, it } from 'vitest';
import { resendMatching } from './resend-matching.ts';

const counts = { waiting: 0, retrying: 0, dead: 0, upTo: 0 };

/** Pages of three. Every fourth webhook has no body; every fifth loses it during the run. */
function listOf(count: number) {
  const sent: string[] = [];
  const search = async (_filters: object, after?: string): Promise<WebhookPageView> => {
    const from = after === undefined ? 0 : Number(after) + 1;
    const numbers = Array.from({ length: Math.min(3, count - from) }, (_, nth) => from + nth);
    const webhooks = numbers.map((nth) => ({ id: String(nth), canResend: nth % 4 !== 3 }) as WebhookRowView);
    const last = numbers.at(-1) ?? 0;
    return { counts, webhooks, ...(last < count - 1 && { next: String(last) }) };
  };
  const resend = async (ids: readonly string[]) => {
    const gone = ids.filter((id) => Number(id) % 5 === 4);
    const resent = ids.filter((id) => !gone.includes(id));
    sent.push(...resent);
    return { resent, gone };
  };
  return { sent, search, resend };
}

const rest = { filters: {}, onProgress: () => {}, isStopped: () => false };

describe('resendMatching', () => {
  it('resends each webhook once and counts those without a body', async () => {
    const { sent, ...list } = listOf(10);
    const progress: number[] = [];
    const totals = await resendMatching({ ...rest, ...list, onProgress: (done) => progress.push(done) });
    expect(sent).toEqual(['0', '1', '2', '5', '6', '8']);
    expect(totals).toEqual({ resent: 6, gone: 2, isCut: false });
    expect(progress).toEqual([3, 4, 6, 6]);
  });

  it('stops at its limit and reports that more are left', async () => {
    const { sent, ...list } = listOf(10);
    expect(await resendMatching({ ...rest, ...list, limit: 4 })).toEqual({ resent: 3, gone: 1, isCut: true });
    expect(sent).toEqual(['0', '1', '2']);
  });

  it('stops when asked to', async () => {
    const { sent, ...list } = listOf(10);
    const totals = await resendMatching({ ...rest, ...list, isStopped: () => sent.length > 0 });
    expect(totals).toEqual({ resent: 3, gone: 0, isCut: true });
  });

  it('sends nothing for an empty list', async () => {
    const { sent, ...list } = listOf(0);
    expect(await resendMatching({ ...rest, ...list })).toEqual({ resent: 0, gone: 0, isCut: false });
    expect(sent).toEqual([]);
  });
});
