// The service itself in the console: the doctor's findings, jobs, and the authorities that wallets are trusted for.
import { describeAnchor } from '@limen/wallet';
import { Type } from 'typebox';
import type { Console } from '../../console/door/console.ts';
import { AppError } from '../../platform/base/errors.ts';
import { isUuid } from '../../platform/base/ids.ts';
import { VERSION } from '../../platform/base/version.ts';
import type { Context } from '../../platform/context.ts';
import { JobStore } from '../../platform/jobs/store.ts';
import type { TrustFolder } from '../../sessions/proofs/wallets/trust/folder.ts';
import { validityOf } from '../../sessions/proofs/wallets/trust/trusted-anchors.ts';
import { MAX_DEAD_JOBS } from '../limits.ts';
import type { AnchorView, FindingView, JobsView, SystemView } from './views.ts';

/** What was found a moment ago is told again: some checks read much. */
const REMEMBERED_MS = 10_000;
const IdPath = Type.Object({ id: Type.String() });

interface Examined extends Omit<FindingView, 'remedy'> {
  remedy?: string;
}

export interface SystemSources {
  /** As `limen doctor` does. */
  examine: () => Promise<Examined[]>;
  trust: Pick<TrustFolder, 'read'>;
}

export function addSystemConsole(
  { add, recordWith }: Console,
  { database, clock }: Pick<Context, 'database' | 'clock'>,
  { examine, trust }: SystemSources,
): void {
  const jobs = new JobStore(database);
  const startedAt = clock.now();
  let last: { at: number; findings: Promise<Examined[]> } | undefined;

  add('GET /console/api/system', {}, async (): Promise<SystemView> => {
    const now = clock.now();
    if (!last || now - last.at >= REMEMBERED_MS) last = { at: now, findings: examine() };
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
      counts: counts.map(({ kind, ready, running, dead: given }) => {
        const now = due.get(kind) ?? 0;
        return { kind, due: now, waiting: ready - now, running, dead: given };
      }),
      dead: dead.map(({ id, kind, attempts, last_error, created_at }) => ({
        id,
        kind,
        attempts,
        lastError: last_error,
        createdAt: created_at,
      })),
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
      const state = validityOf(described, clock.now());
      return { profile, name, country: country ?? null, fingerprint, notAfter: notAfter.getTime(), state, list };
    });
    return { anchors: anchors.sort((one, other) => one.notAfter - other.notAfter) };
  });
}
