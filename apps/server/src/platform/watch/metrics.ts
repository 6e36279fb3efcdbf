// Prometheus metrics of the process.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export type Metrics = ReturnType<typeof createMetrics>;

/** Upper bounds in seconds. */
const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** `processMetrics` adds memory, event loop and garbage collection; they are global, so only `main` asks for them. */
export function createMetrics(processMetrics: boolean) {
  const register = new Registry();
  if (processMetrics) collectDefaultMetrics({ register });
  const requests = new Histogram({
    name: 'limen_http_request_duration_seconds',
    help: 'Time from request to the end of the reply.',
    labelNames: ['method', 'route', 'status'],
    buckets: REQUEST_BUCKETS,
    registers: [register],
  });
  return {
    observeRequest(method: string, route: string, status: number, milliseconds: number): void {
      requests.observe({ method, route, status }, milliseconds / 1000);
    },
    /** Adds a gauge whose values are fetched at each scrape. */
    addGauge(name: string, help: string, labelNames: string[], collect: (gauge: Gauge) => Promise<void>): void {
      new Gauge({
        name,
        help,
        labelNames,
        registers: [register],
        async collect() {
          this.reset();
          if (labelNames.length === 0) this.remove(); // drops the 0 that a reset sets
          // A scrape must not fail with the database: then the gauge is simply not there.
          await collect(this).catch(() => {});
        },
      });
    },
    /** Adds a counter whose value only grows and is counted elsewhere. */
    addCounter(name: string, help: string, read: () => number): void {
      new Counter({
        name,
        help,
        registers: [register],
        collect() {
          this.reset();
          this.inc(read());
        },
      });
    },
    /** Adds a counter with one label. Its values only grow and are counted elsewhere. */
    addCounters(name: string, help: string, label: string, read: () => ReadonlyMap<string, number>): void {
      new Counter({
        name,
        help,
        labelNames: [label],
        registers: [register],
        collect() {
          this.reset();
          for (const [value, count] of read()) this.inc({ [label]: value }, count);
        },
      });
    },
    text: () => register.metrics(),
  };
}
