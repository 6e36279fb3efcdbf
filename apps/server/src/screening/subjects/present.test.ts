// Rendering a page of subjects does not block the event loop.
import { expect, it } from 'vitest';
import type { SubjectRow } from './contents.ts';
import { presentSubjects } from './present.ts';

it('presents subjects one by one, and yields the event loop after each', async () => {
  const row = { id: 'x', state: 'due', more_hits: 0, created_at: 0, changed_at: 0, screened_at: null } as unknown;
  const content = { reference: 'c', subject: { name: 'Torvald Eskeland' }, dataset: 'north', scoreThreshold: 0.95 };
  const all = Array.from({ length: 20 }, () => ({ row: row as SubjectRow, content, hitCount: 0 }));
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  expect(await presentSubjects(all)).toHaveLength(20);
  isDone = true;
  expect(turns).toBeGreaterThanOrEqual(19);
});
