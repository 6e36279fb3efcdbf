// What the commands about watched subjects work with, and how they show them.
import {
  DECISION_REASON_MAX,
  isVisible,
  WATCH_PAGE_DEFAULT,
  WATCH_PAGE_MAX,
  type WatchedSubject,
} from '@limen/contract';
import { type Command, InvalidArgumentError } from 'commander';
import { type Cli, CommandFailure } from '../../../command-line/command.ts';
import { type CommandContext, withContext } from '../../../command-line/context.ts';
import { parseShortText, parseUpTo } from '../../../command-line/options.ts';
import type { ApiKeyRecord } from '../../../platform/api-keys/api-keys.ts';
import { type Owner, ownerOf } from '../../../platform/api-keys/owner.ts';
import { AppError } from '../../../platform/base/errors.ts';
import { isUuid } from '../../../platform/base/ids.ts';
import { openReview } from '../../../review/open.ts';
import { reviewSettings } from '../../../review/settings.ts';
import { createWebhookStore } from '../../../webhooks/store.ts';
import { loadDemoIndex } from '../../lists/demo.ts';
import { createDatasetFolder } from '../../lists/folder/folder.ts';
import type { WatchedEntry } from '../../subjects/contents.ts';
import { WatchStore } from '../../subjects/store.ts';
import { WatchedSubjects } from '../../subjects/subjects.ts';
import { WorkedLists } from '../../subjects/worked-lists.ts';

export interface SubjectTools {
  watched: WatchedSubjects;
  /** Of the key that the command was called with. */
  owner: Owner;
  key: ApiKeyRecord;
  context: CommandContext;
}

export const SUBJECT_ARGUMENT = 'its id, or your own reference for it';

/** `--key-id` says whose subjects are meant: they are kept by customer and world. */
export function withKeyOption(command: Command): Command {
  return command.requiredOption(
    '--key-id <id>',
    'for the customer and world of this API key; see: limen keys list',
    parseShortText,
  );
}

export interface PageOptions {
  keyId: string;
  limit: number;
  after?: string;
  json?: true;
}

/** For a list that is shown page by page. */
export function withPageOptions(command: Command): Command {
  return command
    .option('--limit <number>', `on a page, at most ${WATCH_PAGE_MAX}`, parseUpTo(WATCH_PAGE_MAX), WATCH_PAGE_DEFAULT)
    .option('--after <cursor>', 'the next page; the previous page ends with the cursor', parseCursor)
    .option('--json', 'print JSON');
}

/** Returns a page, and the cursor of the next one, from what was found with a limit of one more. */
export function pageOf<Found extends { id: string }>(found: readonly Found[], limit: number) {
  const page = found.slice(0, limit);
  return { page, next: found.length > limit ? page.at(-1)?.id : undefined };
}

/** What it takes to decide on a hit, or to take that back; `author` says what they did. */
export function withHitOptions(command: Command, author: string): Command {
  return withKeyOption(command)
    .argument('<subject>', SUBJECT_ARGUMENT)
    .argument('<hit>', 'the hit’s id, as shown by: limen subjects show')
    .requiredOption('--reason <text>', 'why, for whoever reads the evidence', parseReason)
    .requiredOption('--author <name>', author, parseShortText)
    .option('--json', 'print JSON');
}

export interface HitOptions {
  keyId: string;
  reason: string;
  author: string;
  json?: true;
}

/** Opens the subjects as the server does. A refusal of theirs ends the command with its sentence. */
export function withSubjects<T>(cli: Cli, keyId: string, work: (tools: SubjectTools) => Promise<T>): Promise<T> {
  return withContext(cli, async (context) => {
    const key = (await context.apiKeys.list()).find(({ id }) => id === keyId);
    if (!key) throw new CommandFailure('There is no API key with this id; see: limen keys list');
    const { database, sealer, jobs, idempotency, clock, ids } = context;
    const webhooks = createWebhookStore(database);
    const store = new WatchStore(database);
    const { cases } = openReview(context, reviewSettings(context.config));
    const folder = createDatasetFolder(context.config.DATA_DIR);
    const lists = async () => [...(await folder.list()), (await loadDemoIndex()).info];
    const worked = new WorkedLists(database);
    const tools = { database, store, worked, lists, sealer, jobs, webhooks, cases, idempotency, clock, ids };
    const watched = new WatchedSubjects({ ...tools, maxSubjects: context.config.MAX_SUBJECTS });
    try {
      return await work({ watched, owner: ownerOf(key), key, context });
    } catch (error) {
      throw error instanceof AppError ? new CommandFailure(error.message) : error;
    }
  });
}

/** By its id or by the customer's reference. */
export function findSubject({ watched, owner }: SubjectTools, subject: string): Promise<WatchedEntry> {
  return isUuid(subject) ? watched.find(owner, subject) : watched.findByReference(owner, subject);
}

/** What a person would call it. */
export function nameOf({ name, firstName = '', lastName = '', aliases, identifiers }: WatchedSubject): string {
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
