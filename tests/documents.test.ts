// Links between the documents lead somewhere.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

const documents = globSync('{*.md,docs/**/*.md,packages/*/*.md}', { exclude: (path) => path.includes('node_modules') });

it.each(documents)('%s', (document) => {
  const links = [...readFileSync(document, 'utf8').matchAll(/\]\(([^)#\s]+)(#[^)]*)?\)/g)].map(
    ([, target]) => target ?? '',
  );
  const dead = links.filter((target) => !/^[a-z]+:/.test(target) && !existsSync(join(dirname(document), target)));
  expect(dead).toEqual([]);
});
