// Calls that read and export the audit log.
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { Type } from 'typebox';
import { named } from '../../platform/base/ids.ts';
import type { Context } from '../../platform/context.ts';
import { formatDay } from '../../platform/sealing/hash-chain.ts';
import { COMMAND_LINE, findActPlace, isAboutKey } from '../../records/audit/acts.ts';
import type { OpenedAudit } from '../../records/audit/open.ts';
import { exportAudit } from '../../records/audit/verify.ts';
import type { Console } from '../door/console.ts';
import { STRANGER } from '../door/guard.ts';
import type { AuditActorView, AuditLineView, AuditPageView } from '../door/views.ts';
import { AUDIT_PAGE_SIZE } from '../limits.ts';
import type { Operators } from '../operators/operators.ts';

const Day = Type.Optional(Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' }));
const Page = Type.Object({
  before: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
  act: Type.Optional(Type.String({ maxLength: 100 })),
  who: Type.Optional(Type.String({ maxLength: 100 })),
  from: Day,
  until: Day,
});

export function registerAuditRoutes(
  { add, record, keyNames }: Console,
  { sealer, clock }: Pick<Context, 'sealer' | 'clock'>,
  { operators, ...opened }: OpenedAudit & { operators: Pick<Operators, 'list'> },
): void {
  const { audit } = opened;

  add('GET /console/api/audit', { query: Page }, async ({ query, request }): Promise<AuditPageView> => {
    const { who, from: fromDay, until: untilDay, ...wanted } = query;
    // Every page is recorded, not only the first.
    await record(request, 'audit.view');
    const operatorId = who === undefined ? undefined : named<typeof COMMAND_LINE.id>(who);
    const found = await audit.list({ ...wanted, operatorId, fromDay, untilDay, limit: AUDIT_PAGE_SIZE + 1 });
    const page = found.slice(0, AUDIT_PAGE_SIZE);
    const last = found.length > AUDIT_PAGE_SIZE ? page.at(-1) : undefined;
    const { labelOf } = await keyNames();
    const lines = page.map(({ seq, line }): AuditLineView => {
      if (!line) return { seq, isUnreadable: true };
      const { time, operator, act, about, from } = line;
      return {
        ...{ seq, isUnreadable: false, time, act, from, about: about ?? null, place: findActPlace(act) },
        label: about !== undefined && isAboutKey(act) ? labelOf(about) : null,
        ...{ operator: operator.name, operatorId: operator.id, role: operator.role },
      };
    });
    return { lines, ...(last && { next: last.seq }) };
  });

  add('GET /console/api/audit/who', {}, async (): Promise<{ who: AuditActorView[] }> => {
    const actors = [...(await operators.list()), COMMAND_LINE, STRANGER];
    return { who: actors.map(({ id, name }) => ({ id, name })) };
  });

  add('GET /console/api/audit/export', {}, async ({ request, reply }) => {
    await record(request, 'audit.export');
    const file = new PassThrough();
    void writeTo(file);
    return reply
      .header('content-type', 'application/jsonl; charset=utf-8')
      .header('content-disposition', `attachment; filename="limen-audit-${formatDay(clock.now())}.jsonl"`)
      .header('cache-control', 'no-store')
      .send(file);
  });

  /** Writes as fast as the client reads, and stops if it disconnects. */
  async function writeTo(file: PassThrough): Promise<void> {
    try {
      const check = await exportAudit({ ...opened, sealer }, async (line) => {
        if (file.destroyed) throw new Error('the client is gone');
        if (!file.write(`${line}\n`)) await Promise.race([once(file, 'drain'), once(file, 'close')]);
      });
      // The last line shows that the file is incomplete.
      if (check.state === 'broken') file.write(`${JSON.stringify({ broken: check })}\n`);
      file.end();
    } catch (error) {
      file.destroy(error as Error);
    }
  }
}
