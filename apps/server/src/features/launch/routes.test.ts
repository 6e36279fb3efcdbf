// The page that launch URLs lead to.
import pino from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { createMetrics } from '../../platform/http/metrics.ts';
import { createHttpServer } from '../../platform/http/server.ts';
import { registerLaunchPage } from './routes.ts';

it('says that the check is not available yet, whatever the session id', async () => {
  const http = createHttpServer({
    tls: undefined,
    trustProxy: false,
    addressRateLimit: undefined,
    metrics: createMetrics(false),
    log: pino({ level: 'silent' }),
  });
  onTestFinished(() => http.close());
  registerLaunchPage(http);
  const page = await http.inject('/launch?sessionId=%3Cscript%3E');
  expect(page.statusCode).toBe(200);
  expect(page.headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'referrer-policy': 'no-referrer' });
  expect(page.body).toContain('The check is not available yet');
  expect(page.body).not.toContain('script');
  expect((await http.inject('/launch')).body).toBe(page.body);
});
