// `limen clock confirm`: confirms a clock that jumped, or that a service distrusts after a long stop.
import type { Command } from 'commander';
import { type Cli, CommandError, examples } from '../command-line/command.ts';
import { withContext } from '../command-line/context.ts';
import { printTime } from '../command-line/terminal/print-table.ts';
import { measureServerClock, readHeartbeat, writeHeartbeat } from '../platform/database/heartbeat.ts';
import { APART_MS } from '../platform/watch/reference-clock.ts';

export function addClockCommands(program: Command, cli: Cli): void {
  program
    .command('clock')
    .description('The clock: confirm')
    .command('confirm')
    .description('Confirm that the clock is right; a service that waits for this continues within ten seconds')
    .addHelpText('after', examples('limen clock confirm'))
    .action(() => confirmClock(cli));
}

async function confirmClock(cli: Cli): Promise<void> {
  await withContext(cli, async ({ database, record }) => {
    const server = await measureServerClock(database, cli.clock);
    const aheadMs = server?.aheadMs ?? 0;
    if (Math.abs(aheadMs) > APART_MS) {
      const apart = `${Math.round(Math.abs(aheadMs) / 1_000)} s ${aheadMs > 0 ? 'behind' : 'ahead of'} PostgreSQL’s`;
      throw new CommandError(`This machine’s clock is ${apart}. Set the wrong one of the two (NTP), then try again.`);
    }
    const last = await readHeartbeat(database);
    await record('clock.confirm');
    const now = Math.round(cli.clock.now() + aheadMs);
    await writeHeartbeat(database, now);
    const before = last === undefined ? 'no service has run yet' : `the last heartbeat was at ${printTime(last.at)}`;
    cli.terminal.print(`Confirmed: it is ${printTime(now)}; ${before}. From now on, services delete expired data.`);
  });
}
