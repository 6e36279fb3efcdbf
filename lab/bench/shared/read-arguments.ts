// The arguments of a benchmark or an evaluation: read in one place, with `--help`, and a first line before the work begins.
import { parseArgs } from 'node:util';

interface Option {
  type: 'boolean' | 'string';
  /** What stands for its value in the help text. */
  value?: string;
  default?: string;
  does: string;
}

interface Program<Options extends Record<string, Option>> {
  /** Of the script in package.json. */
  name: string;
  does: string;
  /** On two cores with nothing else to do. */
  takes: string;
  operand?: { name: string; does: string };
  options: Options;
}

/** Ends the process after `--help`, and with code 2 after a wrong call. */
export function readArguments<const Options extends Record<string, Option>>(program: Program<Options>) {
  const { name, does, takes, operand, options } = program;
  const args = joinNegatives(process.argv.slice(2), options);
  if (args.includes('--help') || args.includes('-h')) {
    console.log(renderHelp(program));
    process.exit(0);
  }
  try {
    const parsed = parseArgs({ args, options, allowPositionals: operand !== undefined });
    // On standard error: tables on standard output stay as they are.
    console.error(`${name}: ${does}. Takes ${takes}; --help lists the options.`);
    return { name, ...parsed };
  } catch (error) {
    return leaveWrongly(name, error instanceof Error ? error.message : String(error));
  }
}

/** `--count -1` as `--count=-1`: to Node's parser the number would be another option, and its refusal explains neither. */
export function joinNegatives(args: readonly string[], options: Readonly<Record<string, Option>>): string[] {
  const joined: string[] = [];
  for (const arg of args) {
    const before = joined.at(-1) ?? '';
    const takesValue = before.startsWith('--') && options[before.slice(2)]?.type === 'string';
    if (takesValue && /^-\d/.test(arg)) joined[joined.length - 1] = `${before}=${arg}`;
    else joined.push(arg);
  }
  return joined;
}

/** For a value that only the program can judge. */
export function leaveWrongly(name: string, sentence: string): never {
  console.error(`${sentence}\nFor help: npm run ${name} -- --help`);
  process.exit(2);
}

function renderHelp({ name, does, takes, operand, options }: Program<Record<string, Option>>): string {
  const rows = Object.entries(options).map(([option, { value, does: meaning, default: usual }]) => [
    `  --${option}${value === undefined ? '' : ` ${value}`}`,
    `${meaning}${usual === undefined ? '' : ` (default ${usual})`}`,
  ]);
  if (operand) rows.unshift([`  ${operand.name}`, operand.does]);
  rows.push(['  --help', 'show this text']);
  const width = Math.max(...rows.map(([left]) => left!.length));
  return [
    `Usage: npm run ${name} -- [options]${operand ? ` [${operand.name}]` : ''}\n`,
    `Measures ${does}.`,
    `Takes ${takes} on two idle cores; a busy machine takes longer and gives worse figures.\n`,
    ...rows.map(([left, right]) => `${left!.padEnd(width)}  ${right}`),
  ].join('\n');
}
