// Renders the names that outlive a release: databases, hosts and scripts of operators contain them.
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { createApp } from '../../apps/server/src/app.ts';
import { createTerminal } from '../../apps/server/src/command-line/terminal/terminal.ts';
import { createProgram } from '../../apps/server/src/commands.ts';
import { loadConfig } from '../../apps/server/src/config.ts';
import { SEALED_COLUMNS, SEALED_ROWS } from '../../apps/server/src/operations/data-keys/row-seals.ts';
import { systemClock } from '../../apps/server/src/platform/base/clock.ts';
import { createLogSink } from '../../apps/server/src/platform/base/logging.ts';
import { TABLES } from '../../apps/server/src/tables.ts';

type Row = Record<string, string | Uint8Array>;

/** Renders each frozen file. `npm run freeze` writes them, the test compares them. */
export const FROZEN: Readonly<Record<string, () => string | Promise<string>>> = {
  'openapi.json': renderOpenApi,
  'usage.txt': renderUsage,
  'seals.txt': renderSeals,
  'jobs.txt': () => lines(literals(/\bdefine(?:Recurring)?Job(?:<[^(]*>)?\(\s*'([^']+)'/g)),
};

type Place = (row: Row, beside: Row) => string;

export const frozenFile = (name: string): URL => new URL(name, import.meta.url);

/** Leaves out descriptions and summaries, which may change at any time. */
async function renderOpenApi(): Promise<string> {
  const dataDir = mkdtempSync(join(tmpdir(), 'limen-frozen-'));
  const app = await createApp({ config: loadConfig({ DATA_DIR: dataDir }), log: createLogSink('silent').log });
  const { body } = await app.http.inject('/openapi.json');
  await app.close();
  rmSync(dataDir, { recursive: true, force: true });
  const isProse = (key: string, value: unknown) => /^(description|summary)$/.test(key) && typeof value === 'string';
  return `${JSON.stringify(JSON.parse(body), (key, value) => (isProse(key, value) ? undefined : value), 1)}\n`;
}

/** Lists the commands with their arguments and options, without descriptions. Scripts rely on defaults and choices. */
async function renderUsage(): Promise<string> {
  const out = { write: () => {} };
  const terminal = createTerminal({ out, err: out, colour: false, isScreen: false, readInput: async () => '' });
  const listUsage = (command: Command): string[] => [
    command.createHelp().commandUsage(command),
    ...command.options.map(({ flags, defaultValue, argChoices }) => {
      const preset = defaultValue === undefined ? '' : `, default ${JSON.stringify(defaultValue)}`;
      return `  ${flags}${preset}${argChoices ? `, one of ${argChoices.join(' ')}` : ''}`;
    }),
    ...command.commands.flatMap(listUsage),
  ];
  const program = await createProgram({ environment: {}, clock: systemClock, terminal });
  return `${listUsage(program).join('\n')}\n`;
}

/** A place is shown with each column's name in the position of its value. */
function renderSeals(): string {
  const places = SEALED_COLUMNS.flatMap(({ table, columns }) => {
    const { places, beside } = TABLES[table];
    const other = beside ? namesOf(beside.table, `${beside.table}.`) : {};
    return columns.map((column) => showNames((places![column] as Place)(namesOf(table, ''), other)));
  });
  return [
    `Places of sealed values\n${lines(places)}`,
    `Tables with sealed rows\n${lines(SEALED_ROWS)}`,
    `Purposes of digests\n${lines(literals(/\.digest\(\s*'([^']+)',/g))}`,
  ].join('\n');
}

function namesOf(table: string, prefix: string): Row {
  const { columns } = TABLES[table as keyof typeof TABLES];
  const show = (column: string) => `{${prefix}${column}}`;
  return Object.fromEntries(
    Object.entries(columns).map(([column, { type }]) => [
      column,
      type === 'bytes' ? Buffer.from(show(column)) : show(column),
    ]),
  );
}

/** Some places hold a column's bytes as hex or base64: its name is shown instead. */
function showNames(place: string): string {
  return place
    .replace(/7b(?:[0-9a-f]{2})+7d/, (hex) => `hex ${Buffer.from(hex, 'hex')}`)
    .replace(/\be3[\w+/]+=*/, (base64) => `base64 ${Buffer.from(base64, 'base64')}`);
}

function literals(pattern: RegExp): string[] {
  const files = globSync('apps/server/src/**/*.ts', { exclude: (path) => /\.test\.ts$|\/testing$/.test(path) });
  return files.flatMap((file) => [...readFileSync(file, 'utf8').matchAll(pattern)].map(([, name]) => name!));
}

function lines(names: readonly string[]): string {
  return `${[...new Set(names)].sort().join('\n')}\n`;
}
