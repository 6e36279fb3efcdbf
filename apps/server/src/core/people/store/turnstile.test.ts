// So much at a time and no more, in order, each key for itself, and nothing left behind.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createTurnstile, TooManyWaiting } from './turnstile.ts';

it('keeps to both limits, and to the order, whatever comes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ key: fc.constantFrom('a', 'b'), weight: fc.integer({ min: 1, max: 12 }) }), {
        maxLength: 30,
      }),
      async (pieces) => {
        const pass = createTurnstile({ maxAtOnce: 3, maxWeight: 10, maxWaiting: 100 });
        const inside = new Map<string, number[]>();
        const entered = new Map<string, number[]>();
        const ends: (() => void)[] = [];
        const all = pieces.map(({ key, weight }, at) =>
          pass(key, weight, async () => {
            const weights = [...(inside.get(key) ?? []), weight];
            inside.set(key, weights);
            entered.set(key, [...(entered.get(key) ?? []), at]);
            expect(weights.length).toBeLessThanOrEqual(3);
            if (weights.length > 1) expect(weights.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(10);
            await new Promise<void>((resolve) => ends.push(resolve));
            inside.get(key)!.splice(inside.get(key)!.indexOf(weight), 1);
          }),
        );
        let open = true;
        const done = Promise.all(all).finally(() => {
          open = false;
        });
        while (open) {
          ends.shift()?.();
          await new Promise((resolve) => setImmediate(resolve));
        }
        await done;
        for (const order of entered.values()) expect(order).toEqual(order.toSorted((a, b) => a - b));
      },
    ),
    { numRuns: 40 },
  );
});

it('lets the next one in after a failure', async () => {
  const pass = createTurnstile({ maxAtOnce: 1, maxWeight: 1, maxWaiting: 1 });
  const failing = pass('a', 1, async () => {
    throw new Error('no');
  });
  const next = pass('a', 5, async () => 'in');
  await expect(failing).rejects.toThrow('no');
  expect(await next).toBe('in');
});

it('sends away who finds the line full, and nobody else', async () => {
  const pass = createTurnstile({ maxAtOnce: 1, maxWeight: 1, maxWaiting: 2 });
  let end = () => {};
  const held = new Promise<void>((resolve) => {
    end = resolve;
  });
  const inside = pass('a', 1, () => held);
  const waiting = [pass('a', 1, async () => 1), pass('a', 1, async () => 2)];
  await expect(pass('a', 1, async () => 3)).rejects.toBeInstanceOf(TooManyWaiting);
  expect(await pass('b', 1, async () => 4)).toBe(4);
  end();
  await inside;
  expect(await Promise.all(waiting)).toEqual([1, 2]);
  expect(await pass('a', 1, async () => 5)).toBe(5);
});
