// The Postman collection has every operation of the service. `npm run check` compares its content.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

interface Folder {
  item: { request: { method: string; url: { path: string[] } } }[];
}

const MAX_BYTES = 300_000;

it('has a request for every operation', () => {
  const text = readFileSync('examples/collection/limen.postman_collection.json', 'utf8');
  const { item: folders } = JSON.parse(text) as { item: Folder[] };
  const requests = folders.flatMap(({ item }) => item.map(({ request }) => request));
  const listed = requests.map(({ method, url }) => `${method} /${url.path.join('/').replaceAll(/:(\w+)/g, '{$1}')}`);
  const openApi = JSON.parse(readFileSync('tests/frozen/openapi.json', 'utf8')) as { paths: Record<string, object> };
  const operations = Object.entries(openApi.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(listed.toSorted()).toEqual(operations.toSorted());
  expect(text.length).toBeLessThan(MAX_BYTES);
});
