// The lockfile pins by hash and names no host, so that every mirror serves and none is favoured.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const lockfile = readFileSync('package-lock.json', 'utf8');

it('names no address', () => {
  expect(lockfile.match(/\w+:\/\/[^"]+/g) ?? []).toEqual([]);
});

it('pins every package from a registry by its hash', () => {
  const { packages } = JSON.parse(lockfile) as { packages: Record<string, { link?: boolean; integrity?: string }> };
  const unpinned = Object.entries(packages)
    .filter(([path, { link, integrity }]) => path.includes('node_modules/') && !link && !integrity)
    .map(([path]) => path);
  expect(unpinned).toEqual([]);
});

it('knows every optional package it names, without which npm ci refuses it', () => {
  const { packages } = JSON.parse(lockfile) as { packages: Record<string, { optionalDependencies?: object }> };
  const known = new Set(Object.keys(packages).map((path) => path.slice(path.lastIndexOf('node_modules/') + 13)));
  const named = Object.values(packages).flatMap(({ optionalDependencies }) => Object.keys(optionalDependencies ?? {}));
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});

it('brings one version of Node for every platform it can', () => {
  const { optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(new Set(Object.values(optionalDependencies)).size).toBe(1);
});
