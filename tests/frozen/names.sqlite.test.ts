// Names that outlive a release change only on purpose: `npm run freeze` writes them again.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { FROZEN, frozenFile } from './names.ts';

it.each(Object.entries(FROZEN))('%s is as it was frozen', async (name, render) => {
  expect(await render(), 'Run "npm run freeze" if the change is on purpose.').toBe(
    readFileSync(frozenFile(name), 'utf8'),
  );
});
