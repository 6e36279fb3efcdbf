// The launch page in the whole service: there with its part, framed as configured, and relative to any prefix.
import { expect, it } from 'vitest';
import { ensurePages } from '#testing/built-pages.ts';
import { startTestApp } from '#testing/test-app.ts';

it('is served with every file that it names, and framed by whom FRAME_ANCESTORS names', async () => {
  await ensurePages('launch');
  const { http } = await startTestApp({
    environment: { FRAME_ANCESTORS: 'https://shop.example, https://club.example' },
  });
  const page = await http.inject('/launch?sessionId=1');
  expect(page.statusCode).toBe(200);
  expect(page.headers['content-security-policy']).toMatch(
    /; frame-ancestors https:\/\/shop\.example https:\/\/club\.example$/,
  );
  const files = [...page.body.matchAll(/\s(?:src|href)="([^"]+)"/g)].map(([, file]) => file);
  expect(files.length).toBeGreaterThan(0);
  for (const file of files) expect([file, (await http.inject(`/${file}`)).statusCode]).toEqual([file, 200]);
});

it('is not there without its part', async () => {
  const { http } = await startTestApp({ environment: { SERVE: 'core' } });
  expect((await http.inject('/launch')).statusCode).toBe(404);
});
