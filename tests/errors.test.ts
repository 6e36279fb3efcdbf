// The error table covers every code of the code base. The compiler checks the codes of sessions and of `ErrorCode`.
import { globSync, readFileSync } from 'node:fs';
import { DELIVERY_TEXTS, ERROR_STATUS, listErrors, NODE_STATUS } from '@limen/contract';
import { AGE_ERROR_CODES, VERIFICATION_ERROR_CODES } from '@limen/plan';
import { expect, it } from 'vitest';

const sources = globSync('apps/server/src/**/*.ts')
  .filter((path) => !/\.test\.ts$/.test(path))
  .map((path) => ({ path, text: readFileSync(path, 'utf8') }));

const findAll = (texts: readonly string[], pattern: RegExp) =>
  new Set(texts.flatMap((text) => [...text.matchAll(pattern)].map(([, code]) => code!)));

it('has a meaning and a remedy for every code that the service sends', () => {
  const texts = sources.map(({ text }) => text);
  const thrown = findAll(texts, /\bnew (?:AppError|NodeRefusal|UnreadableRequest)\(\s*'(\w+)'/g);
  expect(thrown.size).toBeGreaterThan(25);
  const documented = listErrors();
  const codes = (area: string) => new Set(documented.filter((row) => row.area === area).map(({ code }) => code));
  expect([...thrown].filter((code) => !codes('http').has(code))).toEqual([]);
  expect([...codes('session')].toSorted()).toEqual(
    Object.values({ ...AGE_ERROR_CODES, ...VERIFICATION_ERROR_CODES }).toSorted(),
  );
  expect(codes('node')).toEqual(new Set(Object.values(NODE_STATUS).filter((code) => code !== NODE_STATUS.success)));
  for (const { meaning, remedy } of documented) {
    expect(meaning).toMatch(/^\S.*\.$/);
    expect(remedy).toMatch(/^\S.*\.$/);
  }
});

it('lists only codes that the service sends', () => {
  const quoted = findAll(
    sources.map(({ text }) => text),
    /'([a-z_]+)'/g,
  );
  expect(Object.keys(ERROR_STATUS).filter((code) => !quoted.has(code))).toEqual([]);
});

it('lists every reason for a webhook that was not delivered', () => {
  // Webhooks neither follow redirects nor read bodies, and their addresses are checked on creation.
  const impossible = ['invalid_address', 'redirect_refused', 'too_large'];
  const textOf = (path: string) => sources.find((source) => source.path.endsWith(path))!.text;
  const outbound = findAll([textOf('platform/outbound/error.ts')], /^ {2}\| '(\w+)'/gm);
  const webhooks = ['send', 'sendable', 'store', 'deliver'].map((name) => textOf(`webhooks/${name}.ts`));
  const own = findAll([...findAll(webhooks, /\b(?:error: |BODY_REMOVED = )(.*)/g)], /'([a-z_]+)'/g);
  const sent = new Set([...outbound, ...own].filter((code) => !impossible.includes(code)));
  expect([...sent].toSorted()).toEqual(Object.keys(DELIVERY_TEXTS).toSorted());
});
