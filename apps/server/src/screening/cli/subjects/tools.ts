// Shared parts of the commands about watched subjects: options, the opened subjects, and pages of results.
import {
  DECISION_REASON_MAX,
  isVisible,
  WATCH_PAGE_DEFAULT,
  WATCH_PAGE_MAX,
  type WatchedSubject,
} from '@limen/contract';
import { type Command, InvalidArgumentError } from 'commander';
import { type Cli, CommandError } from '../../../command-line/command.ts';
import { type CommandContext, withContext } from '../../../command-line/context.ts';
import { parseShortText, parseUpTo } from '../../../command-line/options.ts';
import { printTable } from '../../../command-line/terminal/print-table.ts';
import type { ApiKeyRecord } from '../../../platform/api-keys/api-keys.ts';
import { type Owner, toOwner } from '../../../platform/api-keys/owner.ts';
import { AppError } from '../../../platform/base/errors.ts';
import { isUuid } from '../../../platform/base/ids.ts';
import { openReview } from '../../../review/open.ts';
import { reviewSettings } from '../../../review/settings.ts';
import { createWebhookStore } from '../../../webhooks/store.ts';
import { loadDemoIndex } from '../../lists/demo.ts';
import { createDatasetFolder } from '../../lists/folder/folder.ts';
import { WatchStore } from '../../subjects/store.ts';
import { WatchedSubjects } from '../../subjects/subjects.ts';
import { WorkedLists } from '../../subjects/worked-lists.ts';

export const EXAMPLE_KEY = '5f0c8a52-6a3e-4c55-9d0e-0b6f3f9f2f57';

export interface SubjectTools {
  watched: WatchedSubjects;
  /** Owner of the key that the command was called with */
  owner: Owner;
  key: ApiKeyRecord;
  context: CommandContext;
}

export interface KeyOptions {
  keyId: string;
  json?: true;
}

/** `--key-id` selects the subjects, which are kept by customer and world. */
export function withKeyOption(command: Command): Command {
  return command.requiredOption(
    '--key-id <id>',
    'for the customer and world of this API key; see: limen keys list',
    parseShortText,
  );
}

export function withSubjectArgument(command: Command, name = 'subject'): Command {
  return withKeyOption(command).argument(`<${name}>`, 'its id, or your own reference for it');
}

export interface PageOptions extends KeyOptions {
  limit: number;
  after?: string;
}

export function withPageOptions(command: Command): Command {
  return command
    .option('--limit <number>', `on a page, at most ${WATCH_PAGE_MAX}`, parseUpTo(WATCH_PAGE_MAX), WATCH_PAGE_DEFAULT)
    .option('--after <cursor>', 'cursor of the next page, printed at the end of the previous one', parseCursor)
    .option('--json', 'print JSON');
}

/** Prints a page, of which `found` has one row more if there is another page. */
export function printPage<Row extends { id: string }>(
  { terminal: { print, complain, paint } }: Cli,
  name: 'subjects' | 'alerts',
  found: readonly Row[],
  { limit, json }: PageOptions,
  columns: Parameters<typeof printTable>[0],
  cellsOf: (row: Row) => string[],
) {
  const page = found.slice(0, limit);
  const next = found.length > limit ? page.at(-1)?.id : undefined;
  if (json) return print(JSON.stringify({ [name]: page, ...(next !== undefined && { next }) }, null, 2));
  if (page.length === 0) return print(`There are no such ${name}.`);
  print(printTable(columns, page.map(cellsOf), (text) => paint('bold', text)));
  if (next !== undefined) complain(`There are more; continue with: --after ${next}`);
}

export interface HitOptions extends KeyOptions {
  reason: string;
  author: string;
}

/** Adds the options of a decision on a hit and of its withdrawal; `author` describes what the author did. */
export function withHitOptions(command: Command, author: string): Command {
  return withSubjectArgument(command)
    .argument('<hit>', 'the hit’s id, as shown by: limen subjects show')
    .requiredOption('--reason <text>', 'reason, shown in the evidence', parseReason)
    .requiredOption('--author <name>', author, parseShortText)
    .option('--json', 'print JSON');
}

/** Opens the subjects as the server does. An AppError ends the command with its sentence. */
export function withSubjects<T>(cli: Cli, keyId: string, work: (tools: SubjectTools) => Promise<T>): Promise<T> {
  return withContext(cli, async (context) => {
    const key = (await context.apiKeys.list()).find(({ id }) => id === keyId);
    if (!key) throw new CommandError('No API key has this id; see: limen keys list');
    const { database, sealer, jobs, idempotency, clock, ids, log, config } = context;
    const folder = createDatasetFolder(config.DATA_DIR);
    const watched = new WatchedSubjects({
      ...{ database, sealer, jobs, idempotency, clock, ids, log },
      store: new WatchStore(database),
      worked: new WorkedLists(database),
      lists: async () => [...(await folder.list()), (await loadDemoIndex()).info],
      webhooks: createWebhookStore(database),
      cases: openReview(context, reviewSettings(config)).cases,
      maxSubjects: config.MAX_SUBJECTS,
    });
    try {
      return await work({ watched, owner: toOwner(key), key, context });
    } catch (error) {
      throw error instanceof AppError ? new CommandError(error.message) : error;
    }
  });
}

/** Finds a subject by its id or by the customer's reference. */
export function findSubject({ watched, owner }: SubjectTools, subject: string) {
  return isUuid(subject) ? watched.find(owner, subject) : watched.findByReference(owner, subject);
}

export function displayName({ name, firstName = '', lastName = '', aliases, identifiers }: WatchedSubject): string {
  return name ?? (`${firstName} ${lastName}`.trim() || (aliases?.[0] ?? identifiers?.[0]?.value ?? ''));
}

function parseReason(text: string): string {
  const reason = text.trim();
  if (!isVisible(reason)) throw new InvalidArgumentError('It is empty.');
  if (reason.length > DECISION_REASON_MAX)
    throw new InvalidArgumentError(`It is longer than ${DECISION_REASON_MAX} characters.`);
  return reason;
}

function parseCursor(text: string): string {
  if (!isUuid(text)) throw new InvalidArgumentError('It must be the cursor that the previous page ended with.');
  return text;
}
