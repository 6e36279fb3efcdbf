// Opens the biometric node: its people, limits, readiness and metrics.
import { describeForLog } from '../../platform/base/errors.ts';
import type { Context } from '../../platform/context.ts';
import type { SigningDoor } from '../../signing/open.ts';
import type { OpenedPeople } from '../galleries/open.ts';
import { registerRemovalLogPurge } from '../galleries/store/galleries.ts';
import { allowPageOrigin, createNodeAccess, type NodeLimits } from './access.ts';
import { registerNodeRoutes } from './routes.ts';
import { createBiometricNode } from './service.ts';

export async function openBiometricNode(
  { apiKeys, database, jobs, idempotency, metrics, readiness, clock, log }: Context,
  { http, signing }: SigningDoor,
  /** `pageOrigin` is that of a launch page that another process serves. */
  { limits, pageOrigin }: { limits: NodeLimits; pageOrigin: string | undefined },
  { people, index, store }: OpenedPeople,
) {
  const node = createBiometricNode(people, jobs, idempotency);
  registerRemovalLogPurge({ jobs, database, clock }, store);

  readiness.add('faces', () => index.state());
  metrics.addGauge('limen_faces', 'Galleries, people and embeddings.', ['of'], async (gauge) => {
    const galleries = await store.listGalleries();
    gauge.set({ of: 'galleries' }, galleries.length);
    for (const { people: count, embeddings } of galleries) {
      gauge.inc({ of: 'people' }, count);
      gauge.inc({ of: 'embeddings' }, embeddings);
    }
  });
  const help = 'Enrollments, predictions and deletions by outcome.';
  metrics.addCounters('limen_node_outcomes_total', help, 'outcome', node.outcomes);

  if (pageOrigin !== undefined) allowPageOrigin(http, pageOrigin);
  registerNodeRoutes(http, node, createNodeAccess(apiKeys, limits), signing);
  await index.prepare();

  let loading: Promise<void> | undefined;
  return {
    start(): void {
      loading = index.load().catch((error) => log.error(describeForLog(error), 'loading the faces failed'));
    },
    async close(): Promise<void> {
      await index.close();
      await loading;
    },
  };
}
