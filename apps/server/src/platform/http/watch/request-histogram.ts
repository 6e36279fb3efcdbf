// Durations by method, route and status in Prometheus' histogram form. prom-client's own histogram hashes the labels of
// every observation, which costs more than everything else that is done for a request's metrics together.
import type { Registry } from 'prom-client';

const NAME = 'limen_http_request_duration_seconds';
const BOUNDS_MS = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 10_000];

interface Series {
  labels: { method: string; route: string; status: number };
  /** Observations per bound, the last one for what is beyond all bounds. */
  counts: number[];
  sumMs: number;
}

export interface RequestHistogram {
  observe(method: string, route: string, status: number, milliseconds: number): void;
}

export function createRequestHistogram(registry: Registry): RequestHistogram {
  // In steps, because joining the three to one key makes a new text for every request.
  const all = new Map<string, Map<string, Map<number, Series>>>();
  const add = (method: string, route: string, status: number): Series => {
    const series = { labels: { method, route, status }, counts: Array<number>(BOUNDS_MS.length + 1).fill(0), sumMs: 0 };
    const byMethod = all.get(route) ?? new Map<string, Map<number, Series>>();
    const byStatus = byMethod.get(method) ?? new Map<number, Series>();
    all.set(route, byMethod.set(method, byStatus.set(status, series)));
    return series;
  };

  registry.registerMetric({
    name: NAME,
    get: async () => ({
      name: NAME,
      help: 'Time from request to the end of the reply.',
      type: 'histogram',
      aggregator: 'sum',
      values: [...all.values()]
        .flatMap((byMethod) => [...byMethod.values()])
        .flatMap((byStatus) => [...byStatus.values()])
        .flatMap(valuesOf),
    }),
  } as never);

  return {
    observe(method, route, status, milliseconds) {
      const series = all.get(route)?.get(method)?.get(status) ?? add(method, route, status);
      let bucket = 0;
      while (bucket < BOUNDS_MS.length && milliseconds > BOUNDS_MS[bucket]!) bucket += 1;
      series.counts[bucket]! += 1;
      series.sumMs += milliseconds;
    },
  };
}

function valuesOf({ labels, counts, sumMs }: Series) {
  let total = 0;
  const buckets = counts.map((count, index) => {
    total += count;
    const bound = BOUNDS_MS[index];
    return {
      metricName: `${NAME}_bucket`,
      labels: { le: bound === undefined ? '+Inf' : bound / 1000, ...labels },
      value: total,
    };
  });
  return [
    ...buckets,
    { metricName: `${NAME}_sum`, labels, value: sumMs / 1000 },
    { metricName: `${NAME}_count`, labels, value: total },
  ];
}
