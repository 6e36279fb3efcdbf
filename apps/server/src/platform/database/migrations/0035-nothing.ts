// Keeps the place of a migration that was put off until 0037: what contracts is the last of its release, and 0036 came after it.
import type { Migration } from './migration.ts';

export const nothing: Migration = { name: '0035-no-whole-vectors', phase: 'expand', up: async () => {} };
