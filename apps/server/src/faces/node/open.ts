// Puts the biometric node together: its people and their index, its limits, readiness and metrics.
import type { Logger } from 'pino';
import type { ApiKeys } from '../../platform/api-keys/api-keys.ts';
import { describeForLog } from '../../platform/base/errors.ts';
import type { HttpServer } from '../../platform/http/types.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import type { Metrics } from '../../platform/watch/metrics.ts';
import type { ReadinessChecks } from '../../platform/watch/readiness.ts';
import type { Signing } from '../../signing/sign.ts';
import { type OpenPeopleOptions, openPeople } from '../galleries/open.ts';
import { registerRemovalLogPurge } from '../galleries/store/removal-log.ts';
import { createNodeAccess, type NodeLimits } from './access.ts';
import { allowPageOrigin } from './page-origin.ts';
import { isNodePath } from './refusal.ts';
import { registerNodeRoutes } from './routes.ts';
import { createBiometricNode } from './service.ts';

interface OpenBiometricNode extends OpenPeopleOptions {
  http: HttpServer;
  apiKeys: ApiKeys;
  jobs: Jobs;
  metrics: Metrics;
  readiness: ReadinessChecks;
  limits: NodeLimits;
  /** Of a launch page that another process serves, which must be let in. */
  pageOrigin: string | undefined;
  signing: Signing;
  log: Logger;
}

export type OpenedBiometricNode = Awaited<ReturnType<typeof openBiometricNode>>;

export async function openBiometricNode(options: OpenBiometricNode) {
  const { http, apiKeys, database, jobs, idempotency, metrics, readiness, limits, pageOrigin, signing, clock, log } =
    options;
  const { people, index, store } = openPeople(options);
  const node = createBiometricNode({ people, jobs, idempotency });
  registerRemovalLogPurge({ jobs, database, store, clock });

  readiness.add('faces', () => index.state());
  metrics.addGauge('limen_faces', 'Galleries, people and embeddings.', ['of'], async (gauge) => {
    const galleries = await store.listGalleries();
    gauge.set({ of: 'galleries' }, galleries.length);
    for (const { people: count, embeddings } of galleries) {
      gauge.inc({ of: 'people' }, count);
      gauge.inc({ of: 'embeddings' }, embeddings);
    }
  });
  const counted = 'What enrolments, predictions and deletions came to.';
  metrics.addCounters('limen_node_outcomes_total', counted, 'outcome', () => node.outcomes());

  if (pageOrigin !== undefined) allowPageOrigin(http, pageOrigin, isNodePath);
  registerNodeRoutes(http, { node, access: createNodeAccess(apiKeys, limits), signing });
  await index.prepare();

  let loading: Promise<void> | undefined;
  return {
    people,
    /** Begins to load the faces in the background. */
    start(): void {
      loading = index.load().catch((error) => log.error(describeForLog(error), 'loading the faces failed'));
    },
    async close(): Promise<void> {
      await index.close();
      await loading;
    },
  };
}
