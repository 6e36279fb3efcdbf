// The audit log in the console.
import { Type } from 'typebox';
import type { ConsoleParts } from './console-parts.ts';
import type { AuditLineView, AuditPageView } from './views.ts';

const PAGE_SIZE = 100;
const Page = Type.Object({
  before: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
  act: Type.Optional(Type.String({ maxLength: 100 })),
});

export function registerAuditRoutes({ add, audit, record }: ConsoleParts): void {
  add('GET /console/api/audit', { query: Page }, async ({ query, request }): Promise<AuditPageView> => {
    // Each page of it: whoever reads on from anywhere has looked as well.
    await record(request, 'audit.view');
    const found = await audit.list({ ...query, limit: PAGE_SIZE + 1 });
    const page = found.slice(0, PAGE_SIZE);
    const last = found.length > PAGE_SIZE ? page.at(-1) : undefined;
    const lines = page.map(({ seq, line }): AuditLineView => {
      if (!line) return { seq, isUnreadable: true };
      const { time, operator, act, about, from } = line;
      return {
        seq,
        isUnreadable: false,
        time,
        operator: operator.name,
        role: operator.role,
        act,
        about: about ?? null,
        from,
      };
    });
    return { lines, ...(last && { next: last.seq }) };
  });
}
