// All migrations in order. A released one is never edited: add the next, with its phase. They are always applied in this order, so a
// contract migration is the last of its release: whatever comes after it has to wait for it.

import { baseline } from './0001-baseline.ts';
import type { Migration } from './migration.ts';

export const migrations: readonly Migration[] = [baseline];
