// Metrics of a key-holder’s process, and whether it is ready. Nothing personal: no label has a customer, a person or an address.
import { createMetrics } from '../../../platform/watch/metrics.ts';
import { createReadiness, isReady, READY } from '../../../platform/watch/readiness.ts';
import type { CallCounts } from '../answer-call.ts';
import type { OpenedService } from '../open.ts';
import type { TlsServer } from '../tls-server.ts';

/** One look at the store serves all that is asked within this time. */
const LOOK_MS = 1_000;
/** Less than the time that Prometheus and probes wait for an answer. */
const PATIENCE_MS = 3_000;
const SILENT = 'the store does not answer';

export type KeyHolderMetrics = ReturnType<typeof createKeyHolderMetrics>;

/** `processMetrics` adds memory, event loop and garbage collection of the process. */
export function createKeyHolderMetrics(
  service: Pick<OpenedService, 'report' | 'auditProblems'>,
  server: Pick<TlsServer, 'connections' | 'refused'>,
  counts: CallCounts,
  { processMetrics }: { processMetrics: boolean },
) {
  const look = createLook(service.report);
  const metrics = createMetrics(processMetrics);
  const readiness = createReadiness();
  readiness.add('store', () =>
    look().then(
      () => READY,
      () => SILENT,
    ),
  );
  readiness.add('audit', () =>
    look().then(
      ({ auditFault }) => auditFault ?? READY,
      () => SILENT,
    ),
  );

  metrics.addCounters('limen_keyholder_calls_total', 'Calls by name.', 'call', () => counts.calls);
  const refusals = 'Calls that were refused, by reason; answers_spent are those beyond a budget of the hour.';
  metrics.addCounters('limen_keyholder_refusals_total', refusals, 'reason', () => counts.refusals);
  const refused = 'Connections that were refused; by secret are those that did not prove KEYHOLDER_SECRET.';
  metrics.addCounters('limen_keyholder_refused_connections_total', refused, 'reason', () => server.refused);
  metrics.addGauge('limen_keyholder_connections', 'Connections that proved the secret.', [], async (gauge) =>
    gauge.set(server.connections()),
  );
  metrics.addGauge(
    'limen_keyholder_ready',
    'Whether a part is ready, as /ready says; 0 or 1.',
    ['part'],
    async (gauge) => {
      const { checks } = await readiness.report();
      for (const [part, state] of Object.entries(checks)) gauge.set({ part }, isReady(state) ? 1 : 0);
    },
  );
  const spent = 'Most answers that anyone has had of a budget in this hour.';
  metrics.addGauge('limen_keyholder_answers_spent', spent, ['budget'], async (gauge) => {
    for (const { budget, spent } of (await look()).answers) gauge.set({ budget }, spent);
  });
  metrics.addGauge('limen_keyholder_answers_budget', 'Answers in an hour.', ['budget'], async (gauge) => {
    for (const { budget, most } of (await look()).answers) gauge.set({ budget }, most);
  });
  const masterKey =
    'Which key of KEYHOLDER_MASTER_KEY opens the store; 0 for none, so that the process could not start again.';
  metrics.addGauge('limen_keyholder_master_key', masterKey, [], async (gauge) => gauge.set((await look()).masterKey));
  const problems = 'Whether the audit has a problem; 0 or 1.';
  metrics.addGauge('limen_keyholder_audit_problem', problems, ['problem'], async (gauge) => {
    for (const [problem, isThere] of Object.entries(service.auditProblems)) gauge.set({ problem }, isThere ? 1 : 0);
  });
  return { metrics, readiness };
}

/** Never two looks at once: a store that is silent must not take up connections that calls need. */
function createLook<Report>(report: () => Promise<Report>): () => Promise<Report> {
  let looked: Promise<Report> | undefined;
  let isUnderWay = false;
  let at = Number.NEGATIVE_INFINITY;
  return () => {
    if (!looked || (!isUnderWay && performance.now() - at > LOOK_MS)) {
      at = performance.now();
      isUnderWay = true;
      looked = report().finally(() => {
        isUnderWay = false;
      });
    }
    return within(PATIENCE_MS, looked);
  };
}

function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(reject, ms, new Error(SILENT)).unref();
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}
