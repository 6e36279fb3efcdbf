// `limen demo-data`: fictional activity for an empty development service, so that its console has something to show.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Command, InvalidArgumentError } from 'commander';
import pino from 'pino';
import { createApp } from '../../app.ts';
import type { Config } from '../../config.ts';
import { countOf } from '../../core/datasets/count-of.ts';
import type { Database } from '../../platform/database/database.ts';
import { type Cli, CommandFailure, configOf, examples } from '../command.ts';
import { findConsole } from '../find-console.ts';
import { withContext } from '../open-context.ts';
import { progressOnTerminal } from '../terminal/progress.ts';
import { playActivity } from './play-activity.ts';

const MAX_DAYS = 90;
const DEFAULT_DAYS = 14;
const HOUR_MS = 60 * 60_000;

export function addDemoDataCommand(program: Command, cli: Cli): void {
  program
    .command('demo-data')
    .description('Fill an empty development service with fictional sessions, cases, people and watched subjects')
    .option('--days <days>', `over how many days, 1 to ${MAX_DAYS}`, parseDays, DEFAULT_DAYS)
    .option('--anyway', 'also where there is something already')
    .addHelpText('after', examples('limen demo-data', 'limen demo-data --days 30'))
    .action((options: { days: number; anyway?: true }) => fill(cli, options));
}

async function fill(cli: Cli, { days, anyway }: { days: number; anyway?: true }): Promise<void> {
  const config = configOf(cli);
  if (config.production) {
    throw new CommandFailure(
      'This is a production service (NODE_ENV=production): made-up activity does not belong there.',
    );
  }
  const isEmpty = await withContext(cli, ({ database }) => hasNothing(database));
  if (!isEmpty && !anyway) {
    throw new CommandFailure('There are sessions or watched subjects already. Add made-up ones with --anyway.');
  }
  const { terminal, clock } = cli;
  const end = clock.now();
  let now = end;
  const app = await createApp({
    config: { ...config, SERVE: new Set(['core', 'node']) } as Config,
    log: pino({ level: 'silent' }),
    clock: { now: () => now },
    // Else a service that runs beside would take webhooks of last week, whose time is over for it.
    jobClock: { now: () => clock.now() + HOUR_MS },
  });
  const receiver = await startReceiver();
  try {
    const progress = progressOnTerminal();
    const played = await playActivity(app, {
      receiver: receiver.url,
      end,
      days,
      retentionMs: config.RETENTION_HOURS * HOUR_MS,
      setTime: (time) => {
        now = time;
      },
      onProgress: (done, total) => progress.show({ label: 'Playing sessions', done, total, unit: 'rows' }),
    });
    progress.clear();
    terminal.print(
      `Played ${played.sessions} sessions of ${countOf(days, 'day', 'days')} and ${played.subjects} watched subjects, with ${played.hits} hits.`,
    );
    terminal.print(`Enrolled ${played.puids.length} people under made-up faces; one has the puid ${played.puids[0]}.`);
    terminal.print('Sessions older than RETENTION_HOURS go with the next start; the overview keeps their numbers.');
  } finally {
    receiver.close();
    await app.close();
  }
  const address = await findConsole(config);
  if (address)
    terminal.print(`See them at ${address}; an operator is invited with: limen operators invite NAME --role admin`);
}

/** Of webhooks, for as long as they are played: as if hosts were there. */
async function startReceiver(): Promise<{ url: string; close(): void }> {
  const server = createServer((request, reply) => {
    request.resume().on('end', () => reply.writeHead(204).end());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}/hooks/limen`, close };
}

async function hasNothing({ queries }: Database): Promise<boolean> {
  const session = await queries.selectFrom('sessions').select('id').limit(1).executeTakeFirst();
  const subject = await queries.selectFrom('watched_subjects').select('id').limit(1).executeTakeFirst();
  return !session && !subject;
}

function parseDays(text: string): number {
  const days = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (days >= 1 && days <= MAX_DAYS) return days;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${MAX_DAYS}.`);
}
