// Prometheus metrics of the process.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export type Metrics = ReturnType<typeof createMetrics>;

const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** `processMetrics` adds memory, event loop and garbage collection, once per process. */
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
  /** Adds a counter whose values only grow and are counted elsewhere. */
  function addCounter(name: string, help: string, labelNames: string[], collect: (counter: Counter) => void): void {
    new Counter({
      name,
      help,
      labelNames,
      registers: [register],
      collect() {
        this.reset();
        collect(this);
      },
    });
  }
  return {
    observeRequest(method: string, route: string, status: number, milliseconds: number): void {
      requests.observe({ method, route, status }, milliseconds / 1000);
    },
    addGauge(name: string, help: string, labelNames: string[], collect: (gauge: Gauge) => Promise<void>): void {
      new Gauge({
        name,
        help,
        labelNames,
        registers: [register],
        async collect() {
          this.reset();
          if (labelNames.length === 0) this.remove(); // drops the 0 that a reset sets
          // The gauge is absent if the database fails; the scrape as a whole must not fail.
          await collect(this).catch(() => {});
        },
      });
    },
    addCounter: (name: string, help: string, read: () => number) =>
      addCounter(name, help, [], (counter) => counter.inc(read())),
    addCounters: (name: string, help: string, label: string, read: () => ReadonlyMap<string, number>) =>
      addCounter(name, help, [label], (counter) => {
        for (const [value, count] of read()) counter.inc({ [label]: value }, count);
      }),
    text: () => register.metrics(),
  };
}
