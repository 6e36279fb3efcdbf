// `npm run demo-data`: fictional activity for a development service, so that its console has data
// to show.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Command, InvalidArgumentError } from 'commander';
import pino from 'pino';
import { createApp } from '../../apps/server/src/app.ts';
import { type Cli, CommandError, examples, requireConfig } from '../../apps/server/src/command-line/command.ts';
import { withContext } from '../../apps/server/src/command-line/context.ts';
import { progressOnTerminal } from '../../apps/server/src/command-line/terminal/progress.ts';
import type { Config } from '../../apps/server/src/config.ts';
import { findConsole } from '../../apps/server/src/console/settings.ts';
import { formatCount } from '../../apps/server/src/platform/text/count-of.ts';
import type { ReviewerCount } from '../../apps/server/src/review/desk.ts';
import { isMadeUp, MADE_UP, playActivity } from './play-activity.ts';

const MAX_DAYS = 90;
const DEFAULT_DAYS = 14;
const HOUR_MS = 60 * 60_000;
const CLOSED_PATH = '/hooks/closed';

export function addDemoData(program: Command, cli: Cli): void {
  program
    .description('Fill a development service with fictional sessions, cases, people and watched subjects')
    .option('--days <days>', `over how many days, 1 to ${MAX_DAYS}`, parseDays, DEFAULT_DAYS)
    .option('--anyway', 'also if fictional activity is there already')
    .addHelpText('after', examples('npm run demo-data', 'npm run demo-data -- --days 30'))
    .action((options: { days: number; anyway?: true }) => fill(cli, options));
}

async function fill(cli: Cli, { days, anyway }: { days: number; anyway?: true }): Promise<void> {
  const config = requireConfig(cli);
  if (config.production) {
    throw new CommandError(
      'This is a production service (NODE_ENV=production): made-up activity does not belong there.',
    );
  }
  const isPlayed = await withContext(cli, async ({ apiKeys }) => (await apiKeys.list()).some(isMadeUp));
  if (isPlayed && !anyway) {
    throw new CommandError(
      `Made-up activity is there already, under the keys “${MADE_UP.shop}” and “${MADE_UP.bank}”. Add more with --anyway, or start with an empty service: set DATA_DIR to another folder.`,
    );
  }
  const { terminal, clock } = cli;
  const end = clock.now();
  let now = end;
  const app = await createApp({
    config: { ...config, SERVE: new Set(['core', 'node']) } as Config,
    log: pino({ level: 'silent' }),
    tuning: {
      clock: { now: () => now },
      // Otherwise a running service would pick up last week's webhooks, which have expired for it.
      jobClock: { now: () => clock.now() + HOUR_MS },
    },
  });
  const receiver = await startReceiver();
  try {
    const progress = progressOnTerminal();
    const played = await playActivity(app, {
      receiver: receiver.url,
      closed: receiver.closed,
      eyes: config.REVIEW_EYES as ReviewerCount,
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
      `Played ${played.sessions} sessions of ${formatCount(days, 'day', 'days')} and ${played.subjects} watched subjects, with ${played.hits} hits.`,
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

/** Receives webhooks in place of the hosts. `closed` replies 410, as a host that wants no more. */
async function startReceiver(): Promise<{ url: string; closed: string; close(): void }> {
  const server = createServer((request, reply) => {
    request.resume().on('end', () => reply.writeHead(request.url === CLOSED_PATH ? 410 : 204).end());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  const origin = `http://127.0.0.1:${port}`;
  return { url: `${origin}/hooks/limen`, closed: `${origin}${CLOSED_PATH}`, close };
}

function parseDays(text: string): number {
  const days = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (days >= 1 && days <= MAX_DAYS) return days;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${MAX_DAYS}.`);
}
