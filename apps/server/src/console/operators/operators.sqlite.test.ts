// The link printed at the first start: renewed until it is used, and audited each time.
import { expect, it } from 'vitest';
import { startTestApp } from '#testing/test-app.ts';
import { inviteFirstOperator } from './operators.ts';

it('is attributed to the command line in the audit log', async () => {
  const lines: unknown[] = [];
  const app = await startTestApp({ environment: { SERVE: 'core,console' } });
  const record = (...line: unknown[]) => {
    lines.push(line);
    return app.record(...(line as Parameters<typeof app.record>));
  };
  const invite = () => inviteFirstOperator('http://localhost:8080/console', { ...app, record });
  expect(await invite()).toContain('http://localhost:8080/console#invite=');
  expect(await invite()).toContain('#invite=');
  expect(lines).toEqual([
    ['operator.invite', 'admin'],
    ['operator.reinvite', 'admin'],
  ]);
  const written = await app.database.queries.selectFrom('audit_lines').select('act').orderBy('seq').execute();
  expect(written.map(({ act }) => act)).toEqual(['operator.invite', 'operator.reinvite']);
  await app.operators.invite('Somebody else', 'admin');
  expect(await invite()).toBeUndefined();
  expect(lines).toHaveLength(2);
});
