// The audit log in the console.
import { Type } from 'typebox';
import type { ConsoleParts } from './console-parts.ts';
import type { AuditPageView } from './views.ts';

const PAGE_SIZE = 100;
const Page = Type.Object({
  before: Type.Optional(Type.Integer({ minimum: 1 })),
  act: Type.Optional(Type.String({ maxLength: 100 })),
});

export function registerAuditRoutes({ add, audit, record }: ConsoleParts): void {
  add('GET /console/api/audit', { query: Page }, async ({ query, request }): Promise<AuditPageView> => {
    if (query.before === undefined) await record(request, 'audit.view');
    const found = await audit.list({ ...query, limit: PAGE_SIZE + 1 });
    const page = found.slice(0, PAGE_SIZE);
    const last = found.length > PAGE_SIZE ? page.at(-1) : undefined;
    const lines = page.map(({ seq, time, operator, act, about, from }) => ({
      seq,
      time,
      operator: operator.name,
      role: operator.role,
      act,
      about: about ?? null,
      from,
    }));
    return { lines, ...(last && { next: last.seq }) };
  });
}
