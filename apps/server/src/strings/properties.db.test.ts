// Properties for any strings and any interleaving of writers.

import { onlyWhenLong } from '@limen/testing/rounds.ts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { startTestApp } from '#testing/test-app.ts';

it('returns every Unicode string unchanged', async () => {
  const { http } = await startTestApp();
  const text = fc.oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 }),
    // The maximum length, with characters of one to four bytes.
    fc
      .tuple(fc.constantFrom('a', 'é', '字', '😀', '\u0001', '"', '\\', '\u2028'), fc.nat(65_535))
      .map(([c, n]) => c.repeat(n + 1)),
  );
  await fc.assert(
    fc.asyncProperty(text, fc.boolean(), async (value, escaped) => {
      fc.pre(!value.includes('\0'));
      const json = JSON.stringify({ value });
      const payload = escaped
        ? json.replace(/[\u0080-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
        : json;
      const created = await http.inject({
        method: 'POST',
        url: '/strings',
        payload,
        headers: { 'content-type': 'application/json' },
      });
      expect(created.statusCode).toBe(201);
      const read = await http.inject(`/strings/${created.json().id}`);
      expect(read.json().value).toBe(value);
    }),
    { numRuns: onlyWhenLong(2_000, 12) },
  );
});

it('shows every lasting row exactly once to a reader who pages during writes and deletes', async () => {
  const { http } = await startTestApp();
  const create = async (value: string) => {
    const payload = { value };
    return (await http.inject({ method: 'POST', url: '/strings', payload })).json().id as string;
  };
  const remove = (id: string) => http.inject({ method: 'DELETE', url: `/strings/${id}` });

  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 7 }), fc.infiniteStream(fc.nat(3)), async (pageSize, choices) => {
      const lasting: string[] = [];
      const doomed: string[] = [];
      for (let index = 0; index < 25; index++) {
        const id = await create('row');
        (choices.next().value === 0 ? doomed : lasting).push(id);
      }
      const seen: string[] = [];
      const added: string[] = [];
      let cursor: string | undefined;
      do {
        // Adds and deletes rows between two pages and during a read.
        const disturb = Promise.all([
          create('new').then((id) => added.push(id)),
          doomed.length > 0 && choices.next().value !== 0 ? remove(doomed.pop() as string) : undefined,
        ]);
        const page = (await http.inject(`/strings?limit=${pageSize}${cursor ? `&cursor=${cursor}` : ''}`)).json();
        await disturb;
        seen.push(...page.strings.map(({ id }: { id: string }) => id));
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      expect(new Set(seen).size).toBe(seen.length);
      expect(lasting.filter((id) => !seen.includes(id))).toEqual([]);
      await Promise.all([...lasting, ...doomed, ...added].map(remove));
    }),
    { numRuns: onlyWhenLong(100, 2) },
  );
});
