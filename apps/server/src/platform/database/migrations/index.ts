// All migrations in order. A released one is never edited: add the next.
import type { Migration } from '../migrate.ts';
import { foundation } from './0001-foundation.ts';
import { people } from './0002-people.ts';

export const migrations: readonly Migration[] = [foundation, people];
