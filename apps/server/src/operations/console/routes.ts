// The system page of the console: the doctor's findings, jobs, and the authorities that wallets are trusted for.
import { describeAnchor } from '@limen/wallet';
import { Type } from 'typebox';
import type { Console } from '../../console/door/console.ts';
import { AppError } from '../../platform/base/errors.ts';
import { isUuid } from '../../platform/base/ids.ts';
import { VERSION } from '../../platform/base/version.ts';
import type { Context } from '../../platform/context.ts';
import { JobStore } from '../../platform/jobs/store.ts';
import { createTrustFolder } from '../../sessions/proofs/wallets/trust/folder.ts';
import { checkValidity } from '../../sessions/proofs/wallets/trust/trusted-anchors.ts';
import { MAX_DEAD_JOBS } from '../limits.ts';
import type { AnchorView, FindingView, JobsView, SystemView } from './views.ts';

/** Time for which findings are shown again, because some checks read much */
const FINDINGS_KEPT_MS = 10_000;
const IdPath = Type.Object({ id: Type.String() });

export type RunDoctor = () => Promise<(Omit<FindingView, 'remedy'> & { remedy?: string })[]>;

export function addSystemConsole(
  { add, recordWith }: Console,
  { database, clock }: Pick<Context, 'database' | 'clock'>,
  dataDir: string,
  examineService: RunDoctor,
): void {
  const jobs = new JobStore(database);
  const trust = createTrustFolder(dataDir);
  const startedAt = clock.now();
  let last: { at: number; findings: ReturnType<RunDoctor> } | undefined;

  add('GET /console/api/system', {}, async (): Promise<SystemView> => {
    const now = clock.now();
    if (!last || now - last.at >= FINDINGS_KEPT_MS) last = { at: now, findings: examineService() };
    const findings = (await last.findings).map(({ remedy, ...finding }) => ({ ...finding, remedy: remedy ?? null }));
    return { version: VERSION, startedAt, findings };
  });

  add('GET /console/api/system/jobs', {}, async (): Promise<JobsView> => {
    const [counts, due, dead] = await Promise.all([
      jobs.countByKind(),
      jobs.countDue(clock.now()),
      jobs.listDead(MAX_DEAD_JOBS),
    ]);
    return {
      counts: counts.map(({ kind, ready, running, dead: deadOfKind }) => {
        const dueOfKind = due.get(kind) ?? 0;
        return { kind, due: dueOfKind, waiting: ready - dueOfKind, running, dead: deadOfKind };
      }),
      dead: dead.map(({ id, kind, attempts, last_error, created_at }) => {
        return { id, kind, attempts, lastError: last_error, createdAt: created_at };
      }),
    };
  });

  add('POST /console/api/system/jobs/:id/retry', { params: IdPath }, async ({ params, request }) => {
    const job = isUuid(params.id) ? await jobs.findById(params.id) : undefined;
    if (job?.state !== 'dead') throw new AppError('not_found', 'There is no dead job with this id.');
    if (await jobs.revive(job.id, clock.now(), recordWith(request, 'job.retry', job.id))) return {};
    throw new AppError('not_found', 'Another job of the same kind for the same thing is waiting or running already.');
  });

  add('GET /console/api/system/trust', {}, async () => {
    const { kept } = await trust.read();
    const anchors = kept.map(({ anchor, list }): AnchorView => {
      const described = describeAnchor(anchor);
      const { profile, name, country, fingerprint, notAfter } = described;
      const state = checkValidity(described, clock.now());
      return { profile, name, country: country ?? null, fingerprint, notAfter: notAfter.getTime(), state, list };
    });
    return { anchors: anchors.sort((left, right) => left.notAfter - right.notAfter) };
  });
}
