import { expect, it } from 'vitest';
import { type Evidence, writeEvidence } from './evidence.ts';

async function writtenOf(pages: object[][]): Promise<unknown> {
  const history = (async function* () {
    yield* pages;
  })();
  let text = '';
  for await (const piece of writeEvidence({
    subject: { id: 'a' },
    hits: [{ id: 'h' }],
    history,
  } as unknown as Evidence))
    text += piece;
  return JSON.parse(text);
}

it.each([[[]], [[[]]], [[[{ id: 1 }, { id: 2 }], [], [{ id: 3 }]]]])('is JSON of whatever pages: %j', async (pages) => {
  expect(await writtenOf(pages)).toEqual({ subject: { id: 'a' }, hits: [{ id: 'h' }], history: pages.flat() });
});
