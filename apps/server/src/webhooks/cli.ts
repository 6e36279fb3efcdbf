// `limen listen`: a webhook receiver for experiments. It checks each signature and prints the body.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyWebhook } from '@limen/sdk';
import { type Command, InvalidArgumentError } from 'commander';
import { type Cli, CommandError, examples } from '../command-line/command.ts';
import { revealDevelopmentKey, withContext } from '../command-line/context.ts';
import { toPrintableLines } from '../command-line/terminal/print-table.ts';
import { MAX_LISTENED_BODY_BYTES } from './limits.ts';

/** Name of the API key that sessions are created with. Not an option, because other users can read a command line. */
const KEY_VARIABLE = 'LIMEN_API_KEY';

interface ListenOptions {
  port: number;
  count?: number;
}

export function addListenCommand(program: Command, cli: Cli): void {
  program
    .command('listen')
    .description('Receive webhooks on this computer, check their signatures and print them')
    .option('--port <port>', 'port to listen on; 0 picks a free one', wholeNumber(0, 65_535), 9000)
    .option('--count <number>', 'stop after this many valid webhooks', wholeNumber(1, 1_000_000))
    .addHelpText(
      'after',
      `\nSignatures are checked with the API key in ${KEY_VARIABLE}, or with the development key if it is not set.\n${examples('limen listen', 'limen listen --port 9100 --count 1')}`,
    )
    .action((options: ListenOptions) => listen(cli, options));
}

async function listen(cli: Cli, { port, count = Number.POSITIVE_INFINITY }: ListenOptions): Promise<void> {
  const { terminal, environment } = cli;
  const apiKey = environment[KEY_VARIABLE] || (await takeDevelopmentKey(cli));
  const done = Promise.withResolvers<void>();
  let left = count;
  const server = createServer(async (request, response) => {
    try {
      const { rawBody, attempt } = await receive(request, response, apiKey);
      terminal.complain(`a webhook, signature verified, attempt ${attempt}`);
      // A program gets the signed text: parsing it could change long numbers.
      terminal.print(terminal.isScreen ? toPrintableLines(rawBody) : rawBody);
      left -= 1;
      if (left === 0) done.resolve();
    } catch (refusal) {
      terminal.complain(`refused: ${refusal instanceof Error ? refusal.message : String(refusal)}`);
    }
  });
  server.once('error', (error: NodeJS.ErrnoException) => {
    const isTaken = error.code === 'EADDRINUSE';
    done.reject(isTaken ? new CommandError(`Port ${port} is already in use; choose another with --port.`) : error);
  });
  const stop = () => done.resolve();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
  try {
    server.listen(port, '127.0.0.1');
    await Promise.race([once(server, 'listening'), done.promise]);
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    terminal.complain(`listening on ${address} (use it as callback.url; Ctrl-C stops)`);
    await done.promise;
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, stop);
    await new Promise((closed) => {
      server.close(closed);
      server.closeIdleConnections();
    });
  }
}

async function takeDevelopmentKey(cli: Cli): Promise<string> {
  try {
    return await withContext(cli, revealDevelopmentKey);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new CommandError(`Set ${KEY_VARIABLE} to the API key that your sessions are created with. ${error.message}`);
  }
}

async function receive(request: IncomingMessage, response: ServerResponse, apiKey: string) {
  const answer = (status: number) => response.writeHead(status, { connection: 'close' }).end();
  if (request.method !== 'POST') {
    answer(405);
    throw new Error('webhooks come by POST');
  }
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes <= MAX_LISTENED_BODY_BYTES) parts.push(part);
  }
  try {
    if (bytes > MAX_LISTENED_BODY_BYTES) throw new Error('the body is too large for a webhook');
    const rawBody = Buffer.concat(parts);
    const { attempt } = await verifyWebhook(rawBody, request.headers, apiKey);
    answer(204);
    return { rawBody: rawBody.toString(), attempt };
  } catch (error) {
    answer(401);
    throw error;
  }
}

function wholeNumber(least: number, most: number) {
  return (text: string): number => {
    const value = /^\d{1,7}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  };
}
