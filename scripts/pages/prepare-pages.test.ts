// Pages before a start: built when outdated with a single line of output, and clear errors.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makePage } from '../testing/page.ts';
import { buildPage } from './build-page.ts';
import { distOf, listPages } from './page-list.ts';
import { preparePages, preparePagesForStart } from './prepare-pages.ts';

function watch(page: ReturnType<typeof makePage>, build: () => Promise<number>) {
  const said: string[] = [];
  let builds = 0;
  const prepare = () =>
    preparePages({
      pages: [page],
      build: () => {
        builds += 1;
        return build();
      },
      say: (line) => said.push(line),
    });
  return { prepare, said, builds: () => builds };
}

it('builds missing and outdated pages with one line of output, and is silent otherwise', async () => {
  const page = makePage();
  const { prepare, said, builds } = watch(page, async () => {
    await buildPage(page);
    return 0;
  });
  expect([await prepare(), await prepare(), builds()]).toEqual([true, true, 1]);
  expect(said).toEqual(['building the page tiny (once, a few seconds) …']);
  writeFileSync(join(page.folder, 'src/style.css'), 'p { color: red }');
  expect([await prepare(), builds()]).toEqual([true, 2]);
});

it('explains what to do if there is no build and none is possible', async () => {
  const { prepare, said } = watch(makePage(), async () => 1);
  expect(await prepare()).toBe(false);
  expect(said).toHaveLength(2);
  expect(said[1]).toMatch(/^The page tiny could not be built and is not served\. Run "npm run build" where /);
});

it('keeps an earlier build if no new one is possible', async () => {
  const page = makePage();
  await buildPage(page);
  rmSync(join(page.folder, 'src/style.css'));
  const { prepare, said } = watch(page, async () => 1);
  expect(await prepare()).toBe(false);
  expect(said[1]).toMatch(/^The page tiny could not be rebuilt; an earlier build is served\. /);
});

it('knows the project’s pages and their sources', () => {
  const launch = listPages().find(({ name }) => name === 'launch')!;
  expect(distOf(launch)).toMatch(/apps[\\/]launch[\\/]dist$/);
  const parts = launch.sources.map((folder) => folder.split(/[\\/]/).slice(-2).join('/'));
  expect(parts).toEqual(
    expect.arrayContaining(['apps/launch', 'packages/contract', 'packages/face-models', 'packages/sdk']),
  );
  expect(parts).not.toContain('apps/server');
});

it.each<[NodeJS.ProcessEnv, string[]]>([
  [{}, listPages().map(({ name }) => name)],
  [{ NODE_ENV: 'production', SERVE: ' ' }, ['launch', 'console']],
  [{ NODE_ENV: 'production', SERVE: 'core, launch' }, ['launch']],
  [{ SERVE: 'core,console' }, ['console']],
  [{ SERVE: 'core,node' }, []],
  [{ NODE_ENV: 'test' }, []],
])('prepares for a start with %j the pages %j', async (environment, names) => {
  const looked: string[] = [];
  await preparePagesForStart(environment, async ({ pages = [] }) => {
    looked.push(...pages.map(({ name }) => name));
  });
  expect(looked).toEqual(names);
});
