// `limen match`: screens a person, organization or vessel against the loaded lists, without a server.
import {
  MATCHES_PER_ROW_MAX,
  MATCHES_PER_SUBJECT_MAX,
  SCORE_THRESHOLD_DEFAULT,
  type ScreeningSubject,
  SUBJECT_SCHEMAS,
  type SubjectMatch,
} from '@limen/contract';
import {
  findIdentifierKind,
  readQueryDate,
  SEARCH_ENDED,
  SHORT_KINDS,
  type Subject,
  splitIdentifier,
} from '@limen/screening';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Cli, CommandError, CommandExitError, examples } from '../../command-line/command.ts';
import { parseShortText, parseUpTo } from '../../command-line/options.ts';
import { printTable } from '../../command-line/terminal/print-table.ts';
import { AppError } from '../../platform/base/errors.ts';
import { Matcher } from '../match/matcher.ts';
import { readSubject, requireScreenable } from '../match/read-subject.ts';
import { writeResult } from '../match/write-result.ts';
import { EXIT_CODES, EXIT_INCOMPLETE, EXIT_MATCHED, parseThreshold, withScreening } from './with-screening.ts';

interface MatchOptions {
  schema?: ScreeningSubject['schema'];
  born?: string;
  country: string[];
  identifier: { kind?: string; value: string }[];
  address: string[];
  dataset: string;
  threshold: number;
  limit: number;
  json?: true;
}

export function addMatchCommand(program: Command, cli: Cli): void {
  const gather = (text: string, before: string[]) => [...before, parseShortText(text)];
  program
    .command('match')
    .description('Screen one person, organization or vessel against the sanctions lists, offline')
    .argument('[names...]', 'name and aliases')
    .option('--dataset <name>', 'list or collection', 'default')
    .option(
      '--threshold <score>',
      'score at which an entity counts as a match',
      parseThreshold,
      SCORE_THRESHOLD_DEFAULT,
    )
    .option('--limit <count>', 'most matches to show', parseUpTo(MATCHES_PER_SUBJECT_MAX), MATCHES_PER_ROW_MAX)
    .addOption(new Option('--schema <kind>', 'what it is').choices(SUBJECT_SCHEMAS))
    .option('--born <date>', 'YYYY-MM-DD, YYYY-MM or YYYY', parseDate)
    .option('--country <country>', 'code or English name; may be repeated', gather, [])
    .option(
      '--identifier <identifier>',
      'such as 9074729 or imo:9074729; may be repeated',
      (text: string, before: MatchOptions['identifier']) => [...before, parseIdentifier(text)],
      [],
    )
    .option('--address <address>', 'in one line; may be repeated', gather, [])
    .option('--json', 'print the result as JSON, as in the service’s reply')
    .addHelpText('after', EXIT_CODES)
    .addHelpText(
      'after',
      examples(
        'limen match "Maria Beispiel" --born 1970-01-01 --country at',
        'limen match --schema Vessel --identifier imoNumber:9074729 --threshold 0.85',
      ),
    )
    .action((names: string[], options: MatchOptions) => match(cli, names, options));
}

async function match(cli: Cli, [name, ...aliases]: readonly string[], options: MatchOptions): Promise<void> {
  const { terminal } = cli;
  const { dataset, threshold, limit, schema, born, country, identifier, address } = options;
  const subject = parseSubject({
    ...(schema && { schema }),
    ...(name !== undefined && { name, aliases }),
    ...(born !== undefined && { birthDate: born }),
    ...{ countries: country, identifiers: identifier, addresses: address },
  });
  await withScreening(cli, async (parts) => {
    const { signal } = new AbortController();
    const order = { dataset, threshold, limit, subjects: [subject], signal };
    const { version, warning, outcomes } = await new Matcher(parts).match(order);
    const result = writeResult(outcomes[0]!, undefined);
    const warnings = [...(warning === undefined ? [] : [warning]), ...(result.warnings ?? [])];
    for (const sentence of warnings) terminal.complain(terminal.paint('yellow', sentence));
    if (options.json) {
      const head = { dataset, datasetVersion: version, scoreThreshold: threshold };
      terminal.print(
        JSON.stringify({ ...head, ...(warning !== undefined && { warning }), results: [result] }, null, 2),
      );
    } else {
      if (result.match) terminal.print(printMatches(result.matches));
      const best = result.match || result.score === 0 ? '' : ` The best candidate has ${result.score.toFixed(3)}.`;
      const count = `${result.matches.length} ${result.matches.length === 1 ? 'match' : 'matches'}`;
      terminal.print(`${count} at ${threshold} or more (${dataset}, version ${version}).${best}`);
    }
    if (result.match) throw new CommandExitError(EXIT_MATCHED);
    if (warning !== undefined || result.warnings?.includes(SEARCH_ENDED)) throw new CommandExitError(EXIT_INCOMPLETE);
  });
}

function parseSubject(asked: ScreeningSubject): Subject {
  if (asked.name === undefined && asked.identifiers?.length === 0)
    throw new CommandError('Give a name or an --identifier to look for.', { usage: true });
  try {
    const subject = readSubject(asked, 'The query');
    requireScreenable(subject, 'The query');
    return subject;
  } catch (error) {
    throw error instanceof AppError ? new CommandError(error.message, { usage: true }) : error;
  }
}

function printMatches(matches: readonly SubjectMatch[]): string {
  const columns = ['SCORE', 'LISTED NAME', 'KIND', 'BORN', 'COUNTRIES', 'LISTED ID', 'WHY'];
  const rows = matches.map(({ score, matchedName, schema, birthDate, countries, id, explanation }) => {
    const why = Object.values(explanation).map(({ detail }) => detail);
    return [score.toFixed(3), matchedName, schema, birthDate.join(' '), countries.join(' '), id, why.join('; ')];
  });
  return printTable(columns, rows);
}

function parseDate(text: string): string {
  if (readQueryDate(text)) return text;
  throw new InvalidArgumentError('It must be a date, as YYYY-MM-DD, YYYY-MM or YYYY.');
}

function parseIdentifier(text: string): { kind?: string; value: string } {
  const identifier = splitIdentifier(parseShortText(text));
  if (identifier.kind === undefined || findIdentifierKind(identifier.kind)) return identifier;
  throw new InvalidArgumentError(
    `The prefix before the colon is the kind: ${SHORT_KINDS.join(', ')}. Leave it out if you do not know.`,
  );
}
