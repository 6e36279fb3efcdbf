// A process that opens the database of its environment, migrates it and reports what it applied.
import { systemClock } from '../../src/platform/base/clock.ts';
import { openDatabase } from '../../src/platform/database/database.ts';
import { migrate } from '../../src/platform/database/migrate.ts';

const database = openDatabase({ url: process.env['DATABASE_URL'], dataDir: process.env['DATA_DIR'] ?? '' });
const applied = await migrate(database, systemClock);
await database.close();
process.send?.(applied);
