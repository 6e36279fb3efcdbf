// Where the console is: of the service that runs on the data folder, whatever its port, and else where the settings say.
import type { Config } from '../config.ts';
import { readConsoleAddress } from '../core/operators/console-address.ts';
import { consoleAddressOf } from '../part-settings.ts';

/** Undefined where the settings serve none. */
export async function findConsole(config: Config): Promise<string | undefined> {
  const configured = consoleAddressOf(config);
  if (configured === undefined || config.CONSOLE_URL !== undefined) return configured;
  return (await readConsoleAddress(config.DATA_DIR)) ?? configured;
}
