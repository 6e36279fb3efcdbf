// `limen doctor`: looks at everything the server needs, says what is wrong and how to put it right; changes nothing.
import type { Command } from 'commander';
import { type Cli, CommandFailure, examples } from '../command.ts';
import { describeFailure } from '../terminal/describe-failure.ts';
import { CHECKS } from './checks/all-checks.ts';
import { type Facts, type Finding, warning } from './checks/check.ts';
import { checkConfiguration } from './checks/configuration.ts';
import { probeDatabase } from './checks/probe-database.ts';
import { checkRuntime } from './checks/runtime.ts';
import { type NamedFinding, printFindings, summarise } from './print-findings.ts';

export function addDoctorCommand(program: Command, cli: Cli): void {
  program
    .command('doctor')
    .description(
      'Check configuration, data folder, database, keys, rows, clock, jobs, lists, faces, models, key-holder, passkeys and trust; changes nothing',
    )
    .option('--json', 'print JSON')
    .addHelpText('after', examples('limen doctor', 'limen doctor --json'))
    .action((options: { json?: true }) => examine(cli, options));
}

async function examine(cli: Cli, { json }: { json?: true }): Promise<void> {
  const findings = await findAll(cli);
  const { print, paint } = cli.terminal;
  const { failed, sentence } = summarise(findings);
  if (json) print(JSON.stringify({ ok: !failed, findings }, null, 2));
  else print(printFindings(findings, paint));
  if (failed) throw new CommandFailure(sentence);
  if (!json) print(`\n${sentence}`);
}

async function findAll({ environment, clock }: Cli): Promise<NamedFinding[]> {
  const { config, findings } = checkConfiguration(environment);
  const found = [...named('configuration', findings), ...named('runtime', [checkRuntime(process.versions.node)])];
  if (!config) {
    const rest = CHECKS.map(([name]) => name).join(', ');
    return [...found, ...named('the rest', [warning(`not checked: ${rest}`, 'fix the configuration first')])];
  }
  const database = await probeDatabase(config);
  try {
    for (const [name, check] of CHECKS) found.push(...named(name, await runCheck(check, { config, clock, database })));
    return found;
  } finally {
    if (database.state === 'answers') await database.database.close();
  }
}

/** A check that itself fails is a finding, not the end of the examination. */
async function runCheck(check: (facts: Facts) => Promise<Finding[]>, facts: Facts): Promise<Finding[]> {
  try {
    return await check(facts);
  } catch (error) {
    return [{ level: 'failure', found: describeFailure(error) }];
  }
}

function named(check: string, findings: readonly Finding[]): NamedFinding[] {
  return findings.map((finding) => ({ check, ...finding }));
}
