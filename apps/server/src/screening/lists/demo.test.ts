// The shipped list loads without an error.
import { createScreener, readQuery } from '@limen/screening';
import { expect, it } from 'vitest';
import { loadDemoIndex } from './demo.ts';

it('is built in memory from the shipped file, with nothing left out', async () => {
  const { index, info } = await loadDemoIndex();
  expect(info).toMatchObject({ name: 'demo', format: 'ftm-json', problemCount: 0, entityCount: index.entityCount });
  expect(info.people).toBeGreaterThan(0);
  expect(info.sanctions).toBeGreaterThan(0);
  expect(info.peps).toBeGreaterThan(0);
  expect(info.bytes).toBe(index.bytes);
  expect(Date.parse(info.builtAt)).not.toBeNaN();
});

it('contains no real people', async () => {
  const { index } = await loadDemoIndex();
  const query = readQuery({ firstName: 'Angela', lastName: 'Merkel', birthDate: '1954-07-17' });
  expect(
    createScreener(index)
      .screen(query, { limit: 5, topic: 'all' })
      .filter(({ score }) => score >= 0.85),
  ).toEqual([]);
});
