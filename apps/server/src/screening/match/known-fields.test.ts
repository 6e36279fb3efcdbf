import { expect, it } from 'vitest';
import { warnOfUnknownFields, warnOfUnknownRequest } from './known-fields.ts';

it('names ten fields of a subject that has fifty thousand unknown ones', () => {
  const fields = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`shoe${at}`, 1]));
  const [sentence, ...others] = warnOfUnknownFields({ name: 'a', identifiers: [fields] });
  const names = Array.from({ length: 10 }, (_, at) => `shoe${at}`).join(', ');
  expect([sentence, others]).toEqual([`Fields that are not known, not compared: ${names}, ….`, []]);
});

it('names a repeated field once, and an unusable name never', () => {
  const identifiers = Array.from({ length: 20 }, (_, at) => ({ value: 'a', type: 1, [`not a name ${at}`]: 1 }));
  expect(warnOfUnknownFields({ identifiers })).toEqual([
    'Fields that are not known, not compared: type, one without a usable name.',
  ]);
});

it('leaves the subjects of a request to their own messages', () => {
  expect(warnOfUnknownRequest({ subjects: [{ shoe: 1 }] })).toEqual([]);
  expect(warnOfUnknownRequest({ subjects: [{ shoe: 1 }], list: 'x' })).toEqual([
    'Fields that are not known, not read: list (did you mean dataset?).',
  ]);
});
