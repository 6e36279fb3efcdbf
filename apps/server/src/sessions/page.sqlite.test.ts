// The launch page in the whole service: served with its part, framed as configured, at any prefix.
import { describe, expect, it } from 'vitest';
import { ensurePages } from '#testing/built-pages.ts';
import { startTestApp } from '#testing/test-app.ts';

it('is served with all of its files and frameable by FRAME_ANCESTORS', async () => {
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

describe('the allowed frame ancestors', () => {
  const SHOP = 'https://shop.example';
  const CLUB = 'https://club.example';

  /** A session of a key, and the frame ancestors of its page. */
  async function openSessions(environment: Record<string, string> = {}) {
    await ensurePages('launch');
    const app = await startTestApp({ environment });
    return {
      ...app,
      async sessionOf(embedOrigins: string[]) {
        const { apiKey, record } = await app.apiKeys.create({ kind: 'test', clientCredentials: false, embedOrigins });
        const made = await app.http.inject({
          method: 'POST',
          url: '/session',
          headers: { 'x-api-key': apiKey },
          payload: {},
        });
        return { key: record, launchUrl: new URL(made.json().launchUrl) };
      },
      async framedBy({ search }: Pick<URL, 'search'>) {
        const { headers } = await app.http.inject(`/launch${search}`);
        const origins = (await app.http.inject(`/launch/embedders${search}`)).json().origins;
        const written = /; frame-ancestors (.*)$/.exec(String(headers['content-security-policy']))?.[1];
        // The page accepts messages only from its frame ancestors.
        expect(origins.join(' ') || "'none'").toBe(written);
        expect(headers['x-frame-options']).toBe(origins.length > 0 ? undefined : 'DENY');
        return origins;
      },
    };
  }

  it("are the sites of the key that created the session, and no other key's", async () => {
    const { sessionOf, framedBy, apiKeys } = await openSessions();
    const [ofShop, ofClub, ofNobody] = [await sessionOf([SHOP]), await sessionOf([CLUB, SHOP]), await sessionOf([])];
    expect(await framedBy(ofShop.launchUrl)).toEqual([SHOP]);
    expect(await framedBy(ofClub.launchUrl)).toEqual([CLUB, SHOP]);
    expect(await framedBy(ofNobody.launchUrl)).toEqual([]);
    await apiKeys.limitOrigins(ofShop.key.id, [CLUB]);
    expect(await framedBy(ofShop.launchUrl)).toEqual([CLUB]);
    expect(await framedBy({ search: '?sessionId=00000000-0000-4000-8000-000000000000' })).toEqual([]);
    expect(await framedBy({ search: '' })).toEqual([]);
  });

  it('are FRAME_ANCESTORS if the key has no sites', async () => {
    const { sessionOf, framedBy } = await openSessions({ FRAME_ANCESTORS: CLUB });
    const { search } = (await sessionOf([SHOP])).launchUrl;
    expect(await framedBy({ search })).toEqual([SHOP]);
    // The page accepts the first of several.
    expect(await framedBy({ search: `${search}&sessionId=x` })).toEqual([SHOP]);
    expect(await framedBy((await sessionOf([])).launchUrl)).toEqual([CLUB]);
  });

  it('are empty once the key or the session was edited', async () => {
    const { sessionOf, framedBy, database } = await openSessions({ FRAME_ANCESTORS: CLUB });
    const [one, other] = [await sessionOf([SHOP]), await sessionOf([])];
    const edit = { embed_origins: JSON.stringify(['https://evil.example']) };
    await database.queries.updateTable('api_keys').set(edit).where('id', '=', one.key.id).execute();
    expect(await framedBy(one.launchUrl)).toEqual([]);
    await database.queries.updateTable('sessions').set({ api_key_id: one.key.id }).execute();
    expect(await framedBy(other.launchUrl)).toEqual([]);
  });
});

it('is missing without its part', async () => {
  const { http } = await startTestApp({ environment: { SERVE: 'core' } });
  expect((await http.inject('/launch')).statusCode).toBe(404);
});
