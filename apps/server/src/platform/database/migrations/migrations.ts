// Lists all migrations in order. Never edit a released one: add another, with its phase. A contract migration must be the last of its
// release, because later migrations would have to wait for it.
import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import type { Phase } from '../../tables.ts';
import type { Engine, Transaction } from '../database.ts';

export interface Migration {
  name: string;
  phase: Phase;
  up(trx: Transaction, engine: Engine): Promise<void>;
}

export const migrations: readonly Migration[] = [sqlFile('0001-baseline', 'expand')];

/** Words of migrations that differ by engine. `ID` is text that every server locale compares byte by byte. */
const WORDS: Readonly<Record<Engine, Readonly<Record<string, string>>>> = {
  sqlite: { ID: 'text', INTEGER: 'integer', BYTES: 'blob', FILLFACTOR_85: '', WITHOUT_ROWID: 'without rowid' },
  postgres: {
    ID: 'text collate "C"',
    INTEGER: 'bigint',
    BYTES: 'bytea',
    FILLFACTOR_85: 'with (fillfactor = 85)',
    WITHOUT_ROWID: '',
  },
};

/** Runs statements. Each ends with a semicolon at the end of a line. */
export async function runSql(trx: Transaction, engine: Engine, text: string): Promise<void> {
  const statements = text
    .replace(/^\s*--.*$/gm, '')
    .replace(/\b[A-Z][A-Z_\d]+\b/g, (word) => {
      const replacement = WORDS[engine][word];
      if (replacement === undefined) throw new Error(`${word} has no meaning in a migration`);
      return replacement;
    })
    .split(/;\s*$/m);
  for (const statement of statements) if (statement.trim() !== '') await sql.raw(statement.trim()).execute(trx);
}

function sqlFile(name: string, phase: Phase): Migration {
  const file = new URL(`./${name}.sql`, import.meta.url);
  return { name, phase, up: (trx, engine) => runSql(trx, engine, readFileSync(file, 'utf8')) };
}
