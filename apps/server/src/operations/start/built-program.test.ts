import { mkdirSync, mkdtempSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { acceptBuild, findBuild, putInForce, readStamp, SERVICE_FOLDER } from './built-program.ts';

/** Creates a project with a build of two sources, in two files. */
function makeProject() {
  const root = mkdtempSync(join(tmpdir(), 'limen-built-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const sources = ['src/one.ts', 'src/two.ts'];
  for (const path of sources) write(join(root, path), path);
  for (const name of ['main.js', 'shared.js']) write(join(root, SERVICE_FOLDER, 'first', name), `// ${name}`);
  putInForce(root, 'first', new Map(sources.map((path) => [path, readStamp(join(root, path))])));
  return root;
}

function write(path: string, content: string) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

describe('a build of the service', () => {
  it('is used while its sources are unchanged', () => {
    const root = makeProject();
    expect(findBuild(root)).toBe(join(root, SERVICE_FOLDER, 'first'));
  });

  it.each([
    ['longer', (file: string) => writeFileSync(file, 'something else')],
    ['edited to the same length', (file: string) => utimesSync(file, new Date(), new Date(Date.now() + 5_000))],
    ['gone', (file: string) => rmSync(file)],
  ])('is ignored if a source is %s', (_, change) => {
    const root = makeProject();
    change(join(root, 'src/two.ts'));
    expect(findBuild(root)).toBeUndefined();
  });

  it.each([
    ['is empty', (file: string) => truncateSync(file)],
    ['was cut off', (file: string) => truncateSync(file, 5)],
    ['is gone', (file: string) => rmSync(file)],
    ['is gone with its folder', (file: string) => rmSync(dirname(file), { recursive: true })],
  ])('is ignored if one of its files %s, even after it was accepted', (_, damage) => {
    for (const accept of [() => {}, acceptBuild]) {
      const root = makeProject();
      accept(root);
      damage(join(root, SERVICE_FOLDER, 'first/shared.js'));
      expect(findBuild(root)).toBeUndefined();
    }
  });

  it('is used despite new times of its sources once it was accepted', () => {
    const root = makeProject();
    utimesSync(join(root, 'src/one.ts'), new Date(1), new Date(1));
    expect(findBuild(root)).toBeUndefined();
    acceptBuild(root);
    expect(findBuild(root)).toBe(join(root, SERVICE_FOLDER, 'first'));
  });

  it('is ignored if its record is damaged', () => {
    const root = makeProject();
    writeFileSync(join(root, SERVICE_FOLDER, 'build.json'), '{"folder": "fi');
    expect(findBuild(root)).toBeUndefined();
  });
});
