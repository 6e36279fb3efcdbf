// The pages of the API reference: complete, small, and with links and search entries that lead somewhere.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '#testing/test-app.ts';
import { AREAS } from './areas.ts';
import { listOperations } from './operations.ts';

const MAX_PAGE_BYTES = 100_000;
const MAX_INDEX_BYTES = 100_000;

type SearchEntry = [title: string, detail: string, address: string, anchors: string[]];

let app: TestApp;
let index: SearchEntry[];
const pages = new Map<string, string>();
const ids = new Map<string, string[]>();

beforeAll(async () => {
  app = await startTestApp({ atEnd: afterAll });
  for (const { path } of AREAS) {
    const address = path === 'overview' ? '/docs' : `/docs/${path}`;
    const { body } = await app.http.inject(address);
    pages.set(address, body);
    ids.set(
      address,
      [...body.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!),
    );
  }
  index = (await app.http.inject('/docs/search.json')).json();
});

function hasTarget(address: string): boolean {
  const [path = '', id] = address.split('#');
  const known = ids.get(path);
  return known !== undefined && (id === undefined || known.includes(id));
}

describe('the pages of the reference', () => {
  it('show each operation on exactly one page and link it from the overview', async () => {
    const operations = listOperations((await app.http.inject('/openapi.json')).json());
    expect(operations.length).toBeGreaterThan(50);
    for (const { id, path } of operations) {
      const homes = [...pages.keys()].filter((address) => pages.get(address)!.includes(`<section id="${id}">`));
      expect([path, homes.length]).toEqual([path, 1]);
      expect(pages.get('/docs')).toContain(`<li id="${id}"><a href="${homes[0]}#${id}">`);
    }
  });

  it('stay small', () => {
    for (const [address, body] of pages)
      expect([address, Buffer.byteLength(body) < MAX_PAGE_BYTES]).toEqual([address, true]);
    expect(JSON.stringify(index).length).toBeLessThan(MAX_INDEX_BYTES);
  });

  it('have unique anchors, and links that lead somewhere', () => {
    for (const [address, body] of pages) {
      const anchors = ids.get(address)!;
      expect(anchors.filter((id, position) => anchors.indexOf(id) !== position)).toEqual([]);
      const links = [...body.matchAll(/<a[^>]* href="([^"]+)"/g)].map(([, link]) => link!);
      const broken = links
        .map((link) => (link.startsWith('#') ? `${address}${link}` : link))
        .filter((link) => link !== '/openapi.json' && link !== `${address}#content` && !hasTarget(link));
      expect([address, broken]).toEqual([address, []]);
    }
  });

  it('need no script but their own, and load nothing from elsewhere', () => {
    for (const body of pages.values()) {
      expect(body.match(/<script[^>]*>/g)).toEqual([expect.stringMatching(/src="\/assets\/reference-[0-9a-f]+\.js"/)]);
      expect(body).not.toMatch(/(src|href)="(https?:)?\/\/| style="| on\w+="/);
    }
  });

  it('leave out areas that are not served', async () => {
    const { http } = await startTestApp({ environment: { SERVE: 'node' } });
    expect((await http.inject('/docs/ages')).statusCode).toBe(404);
    expect((await http.inject('/docs')).body).not.toContain('/docs/ages');
    expect((await http.inject('/docs/node')).statusCode).toBe(200);
  });
});

describe('/llms.txt', () => {
  it('lists every page as plain text', async () => {
    const { body, headers } = await app.http.inject('/llms.txt');
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(body).toMatch(/^# Limen\n\n> .+\n\n## /);
    const listed = [...body.matchAll(/^- \[[^\]]+\]\(([^)]+)\): .+$/gm)].map(([, address]) => address);
    expect(listed).toEqual([...pages.keys()]);
  });
});

describe('the search index', () => {
  it('has addresses that lead somewhere', () => {
    const addresses = index.flatMap(([, , address, anchors]) => [
      address,
      ...anchors.map((name) => `${address}.${name}`),
    ]);
    expect(addresses.length).toBeGreaterThan(500);
    expect(addresses.filter((address) => !hasTarget(address))).toEqual([]);
  });

  it.each([
    ['POST /session', 'body.callback.url'],
    ['GET /strings', 'query.cursor'],
    ['HTTP errors', '422.idempotency_key_reused'],
  ])('finds below %s the anchor %s', (title, anchor) => {
    expect(index.find(([name]) => name === title)?.[3]).toContain(anchor);
  });
});
