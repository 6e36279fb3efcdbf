// How the doctor judges the room for faces.
import { expect, it } from 'vitest';
import { judgeFaces } from './faces.ts';

const facts = { people: 50, embeddings: 120, fullest: 89, maxEmbeddings: 100, neededBytes: 500, memoryBytes: 1_000 };
const judge = (changed: Partial<typeof facts>) =>
  judgeFaces({ ...facts, ...changed }).map(({ level, found }) => `${level}: ${found}`);

it('warns when room grows short, and fails when there is none', () => {
  const crowded = (fullest: number) =>
    `50 people, 120 embeddings, ${fullest} of them in one world, which has room for 100`;
  expect(judge({})).toEqual(['ok: 50 people, 120 embeddings']);
  expect(judge({ fullest: 90 })).toEqual([`warning: ${crowded(90)}`]);
  expect(judge({ fullest: 100 })).toEqual([`failure: ${crowded(100)}`]);
});

it('warns when the index takes more than half of the memory', () => {
  expect(judge({ neededBytes: 501 })).toEqual([
    'ok: 50 people, 120 embeddings',
    'warning: their index takes 501 B of the 1000 B of memory',
  ]);
});
