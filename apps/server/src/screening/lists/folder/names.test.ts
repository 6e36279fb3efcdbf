// Valid names of a dataset.
import { expect, it } from 'vitest';
import { requireDatasetName } from './names.ts';

it.each(['us_ofac_sdn', 'a', '0', '_', 'x'.repeat(64)])('accepts the name %s', (name) => {
  expect(() => requireDatasetName(name)).not.toThrow();
});

it.each(['default', 'sanctions', 'peps', 'demo'])('refuses the reserved name %s', (name) => {
  expect(() => requireDatasetName(name)).toThrow(`The name ${name} is taken`);
});

it.each(['', 'A', 'a-b', 'a.b', '../a', 'a/b', 'a b', 'ä', 'x'.repeat(65), 'a\n'])('refuses the name %j', (name) => {
  expect(() => requireDatasetName(name)).toThrow('1 to 64 of these characters');
});
