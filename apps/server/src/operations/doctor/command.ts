// `limen doctor`: checks everything that the server needs, and prints each finding with its remedy. Changes nothing.
import type { Command } from 'commander';
import { type Cli, CommandError, examples, requireConfig } from '../../command-line/command.ts';
import { toPrintable } from '../../command-line/terminal/print-table.ts';
import type { Terminal } from '../../command-line/terminal/terminal.ts';
import type { Config } from '../../config.ts';
import { StartError } from '../../platform/base/errors.ts';
import { type DoctorFinding, warning } from './checks/check.ts';
import { checkRuntime } from './checks/configuration.ts';
import { checkDeployment } from './checks/deployment.ts';
import { CHECKS, examine, type NamedFinding, named } from './examine.ts';

export function addDoctorCommand(program: Command, cli: Cli): void {
  program
    .command('doctor')
    .description(
      'Check configuration, data folder, database, keys, rows, audit log, clock, jobs, lists, faces, models, key-holder, passkeys and trust; changes nothing',
    )
    .option('--deployment', 'also check the recommendations for production')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('limen doctor', 'limen doctor --deployment', 'limen doctor --json'))
    .action((options: DoctorOptions) => runDoctor(cli, options));
}

interface DoctorOptions {
  deployment?: true;
  json?: true;
}

async function runDoctor(cli: Cli, { deployment, json }: DoctorOptions): Promise<void> {
  const findings = await findAll(cli, deployment ? [['deployment', checkDeployment]] : []);
  const { print, paint } = cli.terminal;
  const { failed, sentence } = summarize(findings);
  print(json ? JSON.stringify({ ok: !failed, findings }, null, 2) : printFindings(findings, paint));
  if (failed) throw new CommandError(sentence);
  if (!json) print(`\n${sentence}`);
}

async function findAll(cli: Cli, more: typeof CHECKS): Promise<NamedFinding[]> {
  let config: Config;
  try {
    config = requireConfig(cli);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    // The sentences of the problems contain their remedies.
    const problems = error.problems.map((found): DoctorFinding => ({ level: 'failure', found }));
    const rest = warning(`not checked: ${CHECKS.map(([name]) => name).join(', ')}`, 'fix the configuration first');
    const runtime = checkRuntime(process.versions.node);
    return [...named('configuration', problems), ...named('runtime', [runtime]), ...named('the rest', [rest])];
  }
  return examine(config, cli.clock, more);
}

const MARKS = {
  ok: { mark: '✓', color: 'green' },
  warning: { mark: '!', color: 'yellow' },
  failure: { mark: '✗', color: 'red' },
} as const;

export function printFindings(findings: readonly NamedFinding[], paint: Terminal['paint']): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const indent = ' '.repeat(width + 4);
  return findings
    .flatMap(({ check, level, found, remedy }, index) => {
      const { mark, color } = MARKS[level];
      const name = findings[index - 1]?.check === check ? '' : check;
      const line = `${paint(color, mark)} ${name.padEnd(width)}  ${toPrintable(found)}`;
      return remedy === undefined ? [line] : [line, paint('dim', `${indent}→ ${toPrintable(remedy)}`)];
    })
    .join('\n');
}

export function summarize(findings: readonly NamedFinding[]): { failed: boolean; sentence: string } {
  const count = (level: DoctorFinding['level']) => findings.filter((finding) => finding.level === level).length;
  const [warnings, failures] = [count('warning'), count('failure')];
  const parts = [
    failures > 0 ? `${failures} problem${failures === 1 ? '' : 's'}` : 'No problems',
    ...(warnings > 0 ? [`${warnings} warning${warnings === 1 ? '' : 's'}`] : []),
  ];
  return { failed: failures > 0, sentence: `${parts.join(', ')}.` };
}
