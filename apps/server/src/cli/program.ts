// The tree of commands with its help texts.
import { Command } from 'commander';
import { VERSION } from '../platform/version.ts';
import { type Cli, examples } from './command.ts';
import { addDatasetsCommands } from './datasets.ts';
import { addDoctorCommand } from './doctor.ts';
import { addJobsCommands } from './jobs.ts';
import { addKeysCommands } from './keys.ts';
import { addMasterKeyCommands } from './master-key.ts';
import { addPeopleCommands } from './people.ts';
import { addScreenCommand } from './screen.ts';

export function createProgram(cli: Cli): Command {
  const { terminal } = cli;
  const program = new Command('limen')
    .description('Operates a Limen server: it reads the same settings and works beside a running one.')
    .version(VERSION, '--version', 'show the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .showHelpAfterError('(add --help for what is possible)')
    .addHelpText('after', examples('limen keys create --label "Web shop"', 'limen doctor', 'limen help keys create'))
    .configureOutput({
      writeOut: (text) => terminal.print(text.trimEnd()),
      writeErr: (text) => terminal.complain(text.trimEnd()),
    })
    .exitOverride();
  addKeysCommands(program, cli);
  addDatasetsCommands(program, cli);
  addScreenCommand(program, cli);
  addPeopleCommands(program, cli);
  addDoctorCommand(program, cli);
  addJobsCommands(program, cli);
  addMasterKeyCommands(program, cli);
  return program;
}
