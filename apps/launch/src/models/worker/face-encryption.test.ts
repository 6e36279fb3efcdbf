import { expect, test } from 'vitest';
import { nameModel } from './face-encryption.ts';

test('names a model by the first sixteen bytes of its hash', () => {
  expect(nameModel(`${'00'.repeat(16)}${'ff'.repeat(16)}`)).toBe('AAAAAAAAAAAAAAAAAAAAAA');
  expect(nameModel(`fbefff${'00'.repeat(29)}`)).toBe('--__AAAAAAAAAAAAAAAAAA');
});
