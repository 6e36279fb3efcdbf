// Parses arguments of benchmarks and evaluations, with `--help`, and prints a first line before the
// work starts.
import { parseArgs } from 'node:util';

interface Option {
  type: 'boolean' | 'string';
  /** Placeholder of its value in the help text. */
  value?: string;
  default?: string;
  does: string;
}

interface Program<Options extends Record<string, Option>> {
  /** Name of the script in package.json. */
  name: string;
  does: string;
  /** Duration on two idle cores. */
  takes: string;
  operand?: { name: string; does: string };
  options: Options;
}

/** Exits after `--help`, and with code 2 on invalid arguments. */
export function readArguments<const Options extends Record<string, Option>>(program: Program<Options>) {
  const { name, does, takes, operand, options } = program;
  const args = joinNegatives(process.argv.slice(2), options);
  if (args.includes('--help') || args.includes('-h')) {
    console.log(renderHelp(program));
    process.exit(0);
  }
  try {
    const parsed = parseArgs({ args, options, allowPositionals: operand !== undefined });
    // On standard error, to keep tables on standard output clean.
    console.error(`${name}: ${does}. Takes ${takes}; --help lists the options.`);
    return { name, ...parsed };
  } catch (error) {
    return leaveWrongly(name, error instanceof Error ? error.message : String(error));
  }
}

/** Rewrites `--count -1` to `--count=-1`. Node's parser would take the number for an option. */
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

/** For values that only the program can validate. */
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
