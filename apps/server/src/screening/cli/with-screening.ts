// Opens the loaded lists and the threads that search them, for a command that screens without a server.
import { InvalidArgumentError } from 'commander';
import { type Cli, CommandError, requireConfig } from '../../command-line/command.ts';
import { AppError } from '../../platform/base/errors.ts';
import { CsvError } from '../csv/rows.ts';
import { LaneClosedError, ScreeningPool } from '../engine/pool.ts';
import { Catalogue } from '../lists/catalogue/catalogue.ts';
import { createDatasetFolder } from '../lists/folder/folder.ts';
import { readThreshold } from '../match/threshold.ts';

/** Exit code if someone matched, which must not be mistaken for no match */
export const EXIT_MATCHED = 3;
/** Exit code if no one matched, but not everything could be searched */
export const EXIT_INCOMPLETE = 4;
export const EXIT_CODES = `
Exit code: 0 no one matched, ${EXIT_MATCHED} someone did, ${EXIT_INCOMPLETE} nobody matched but not everything was
searched (standard error says what was left out), 1 failed, 2 wrong usage.
`;

export async function withScreening(
  cli: Cli,
  work: (parts: { catalogue: Catalogue; pool: ScreeningPool }) => Promise<void>,
): Promise<void> {
  const { DATA_DIR } = requireConfig(cli);
  const catalogue = new Catalogue({
    folder: createDatasetFolder(DATA_DIR),
    clock: cli.clock,
    log: { info() {}, error() {} }, // The command's error explains the failure.
    onRetired() {},
    eager: false,
  });
  const pool = new ScreeningPool();
  try {
    await work({ catalogue, pool });
  } catch (error) {
    if (error instanceof LaneClosedError) throw new CommandError('Stopped. Nothing was written.');
    if (error instanceof CsvError) throw new CommandError(error.detail ?? error.message);
    throw error instanceof AppError ? new CommandError(error.message) : error;
  } finally {
    await pool.close();
    await catalogue.close();
  }
}

export function parseThreshold(text: string): number {
  try {
    return readThreshold({ scoreThreshold: text });
  } catch {
    throw new InvalidArgumentError('It must be a number from 0 to 1.');
  }
}
