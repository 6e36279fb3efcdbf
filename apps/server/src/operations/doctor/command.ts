// `limen doctor`: looks at everything the server needs, says what is wrong and how to put it right; changes nothing.
import type { Command } from 'commander';
import { type Cli, CommandFailure, examples } from '../../command-line/command.ts';
import { CHECKS } from './checks/all.ts';
import { warning } from './checks/check.ts';
import { checkConfiguration, checkRuntime } from './checks/configuration.ts';
import { checkDeployment } from './checks/deployment.ts';
import { examine as examineService, named } from './examine.ts';
import { type NamedFinding, printFindings, summarise } from './print-findings.ts';

export function addDoctorCommand(program: Command, cli: Cli): void {
  program
    .command('doctor')
    .description(
      'Check configuration, data folder, database, keys, rows, audit log, clock, jobs, lists, faces, models, key-holder, passkeys and trust; changes nothing',
    )
    .option('--deployment', 'also say what a service for others should have')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('limen doctor', 'limen doctor --deployment', 'limen doctor --json'))
    .action((options: DoctorOptions) => examine(cli, options));
}

interface DoctorOptions {
  deployment?: true;
  json?: true;
}

async function examine(cli: Cli, { deployment, json }: DoctorOptions): Promise<void> {
  const findings = await findAll(cli, deployment ? [['deployment', checkDeployment]] : []);
  const { print, paint } = cli.terminal;
  const { failed, sentence } = summarise(findings);
  if (json) print(JSON.stringify({ ok: !failed, findings }, null, 2));
  else print(printFindings(findings, paint));
  if (failed) throw new CommandFailure(sentence);
  if (!json) print(`\n${sentence}`);
}

async function findAll({ environment, clock }: Cli, more: typeof CHECKS): Promise<NamedFinding[]> {
  const { config, findings } = checkConfiguration(environment);
  if (config) return examineService(config, clock, more);
  const rest = CHECKS.map(([name]) => name).join(', ');
  return [
    ...named('configuration', findings),
    ...named('runtime', [checkRuntime(process.versions.node)]),
    ...named('the rest', [warning(`not checked: ${rest}`, 'fix the configuration first')]),
  ];
}
