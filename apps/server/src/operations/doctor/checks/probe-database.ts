// Opens the database for the checks, without making or changing one, and sees whether it answers.
import { sql } from 'kysely';
import { openForReading } from '../../../command-line/read-only.ts';
import { describeFailure } from '../../../command-line/terminal/describe-failure.ts';
import type { Config } from '../../../config.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { DatabaseFacts } from './check.ts';

export async function probeDatabase(config: Config): Promise<DatabaseFacts> {
  let database: Database | undefined;
  try {
    database = openForReading(config);
    if (!database) return { state: 'absent' };
    // SQLite looks at the file only when it is asked for something that is in it.
    await (database.engine === 'sqlite' ? sql`pragma schema_version` : sql`select 1`).execute(database.queries);
    return { state: 'answers', database };
  } catch (error) {
    await database?.close();
    return { state: 'silent', problem: describeFailure(error) };
  }
}
