// The lockfile pins packages by hash and names no host, so that every mirror works.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const lockfile = readFileSync('package-lock.json', 'utf8');

it('names no URL', () => {
  expect(lockfile.match(/\w+:\/\/[^"]+/g) ?? []).toEqual([]);
});

it('pins every registry package by its hash', () => {
  const { packages } = JSON.parse(lockfile) as { packages: Record<string, { link?: boolean; integrity?: string }> };
  const unpinned = Object.entries(packages)
    .filter(([path, { link, integrity }]) => path.includes('node_modules/') && !link && !integrity)
    .map(([path]) => path);
  expect(unpinned).toEqual([]);
});

it('contains every optional package it names, as npm ci requires', () => {
  const { packages } = JSON.parse(lockfile) as { packages: Record<string, { optionalDependencies?: object }> };
  const known = new Set(Object.keys(packages).map((path) => path.slice(path.lastIndexOf('node_modules/') + 13)));
  const named = Object.values(packages).flatMap(({ optionalDependencies }) => Object.keys(optionalDependencies ?? {}));
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});

it('has one version of Node for every possible platform', () => {
  const { optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(new Set(Object.values(optionalDependencies)).size).toBe(1);
});
