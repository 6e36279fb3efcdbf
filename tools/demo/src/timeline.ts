// Progress of a check, as the page's five stations.
import type { CheckView } from '../server/check-view.ts';

export type StationName = 'request' | 'reply' | 'opened' | 'webhook' | 'result';

export interface Station {
  name: StationName;
  title: string;
  state: 'done' | 'failed' | 'next' | 'waiting' | 'skipped';
  /** Known facts in a few words. */
  note: string;
}

export const hasEnded = ({ state }: CheckView): boolean =>
  state === 'completed' || state === 'cancelled' || state === 'expired';

export const isRefused = ({ create }: CheckView): boolean => create?.reply != null && create.reply.status >= 400;

export function listStations(check: CheckView): Station[] {
  const { create, webhooks, result, simulate, openedAt, createdAt } = check;
  const since = (at: number | undefined | null) => (at == null ? '' : `after ${seconds(at - createdAt)}`);
  const genuine = webhooks.find(({ verified }) => verified);
  const settled = isSettled(check);
  const simulated = simulate?.reply?.status === 200;
  const stations: (Omit<Station, 'state'> & { done: boolean; state?: Station['state'] })[] = [
    {
      name: 'request',
      title: 'Request',
      done: create !== null,
      note: check.kind === 'age' ? 'POST /session' : 'POST /v2/verification-session',
    },
    {
      name: 'reply',
      title: 'Reply',
      done: create?.reply != null,
      note: create?.reply ? String(create.reply.status) : '',
      ...(isRefused(check) && { state: 'failed' as const }),
    },
    {
      name: 'opened',
      title: 'Opened',
      done: openedAt !== null,
      note: openedAt !== null ? since(openedAt) : simulated ? 'simulated' : hasEnded(check) ? 'never' : 'by the person',
      ...(openedAt === null && (simulated || hasEnded(check)) && { state: 'skipped' as const }),
    },
    {
      name: 'webhook',
      title: 'Webhook',
      done: genuine !== undefined,
      note: genuine ? `verified ${since(genuine.at)}` : webhooks.length > 0 ? 'not genuine' : 'at the end',
      ...(!genuine && webhooks.length > 0 && { state: 'failed' as const }),
    },
    {
      name: 'result',
      title: 'Result',
      done: settled,
      note: settled ? since(result?.at) : 'fetched by the SDK',
    },
  ];
  const next = isRefused(check) ? -1 : stations.findIndex(({ done, state }) => !done && state !== 'skipped');
  return stations.map(({ done, state, ...station }, position) => ({
    ...station,
    state: state ?? (done ? 'done' : position === next ? 'next' : 'waiting'),
  }));
}

/** Returns whether the result is final. */
function isSettled({ kind, result }: CheckView): boolean {
  const { flowStatus, status } = (result?.reply?.body ?? {}) as { flowStatus?: string; status?: string };
  if (kind === 'age') return flowStatus !== undefined;
  return result?.reply?.status === 200 && status !== 'PENDING';
}

function seconds(milliseconds: number): string {
  const value = Math.max(0, milliseconds) / 1000;
  return value < 60 ? `${value.toFixed(value < 10 ? 1 : 0)} s` : `${Math.round(value / 60)} min`;
}
