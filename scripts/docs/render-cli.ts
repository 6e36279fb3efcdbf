// docs/reference/cli.md from the definitions of the commands.
import type { Command, Option } from 'commander';
import { createTerminal } from '../../apps/server/src/command-line/terminal/terminal.ts';
import { createProgram } from '../../apps/server/src/commands.ts';
import { systemClock } from '../../apps/server/src/platform/base/clock.ts';

export async function renderCli(): Promise<string> {
  let printed = '';
  const out = { write: (text: string) => (printed += text) };
  const terminal = createTerminal({ out, err: out, colour: false, isScreen: false, readInput: async () => '' });
  const program = await createProgram({ environment: {}, clock: systemClock, terminal });
  const helpOf = (command: Command) => {
    printed = '';
    command.configureHelp({ helpWidth: 10_000 }).outputHelp();
    return printed;
  };
  return `# Command line

<!-- Generated from apps/server/src/commands.ts by \`npm run docs\`; do not edit. -->

Every command of \`limen\`, which reads the service's settings and works on its database and files ([how to run it](../operate.md#the-command-line)).

${program.commands.map((command) => renderCommand(command, helpOf)).join('\n')}`;
}

function renderCommand(command: Command, helpOf: (command: Command) => string, group = ''): string {
  const name = `limen ${group}${command.name()}`;
  if (command.commands.length > 0)
    return `## ${name}\n\n${sentence(command)}\n\n${command.commands
      .map((child) => renderCommand(child, helpOf, `${command.name()} `))
      .join('\n')}`;
  const help = helpOf(command);
  const notes = help.slice(help.lastIndexOf('show help') + 'show help'.length).trim();
  const inputs = [
    ...command.registeredArguments.map((argument) => `| \`${argument.name()}\` | ${cell(argument.description)} |`),
    ...command.options.map(
      (option) => `| ${renderOption(option)} | ${cell(option.description)}${renderLimits(option)} |`,
    ),
  ];
  return [
    `${group ? '###' : '##'} ${name}`,
    sentence(command),
    `\`\`\`\n${/^Usage: (.*)$/m.exec(help)?.[1]}\n\`\`\``,
    ...(inputs.length > 0 ? [`| Argument or option | Meaning |\n|---|---|\n${inputs.join('\n')}`] : []),
    `\`\`\`\n${notes}\n\`\`\`\n`,
  ].join('\n\n');
}

function renderOption({ long, flags }: Option): string {
  return `\`${long}${/ [<[].*$/.exec(flags)?.[0] ?? ''}\``;
}

function renderLimits({ argChoices, defaultValue }: Option): string {
  const choices = argChoices ? ` One of ${argChoices.map((choice) => `\`${choice}\``).join(', ')}.` : '';
  const preset = defaultValue === undefined || defaultValue === false ? '' : ` Default: \`${defaultValue}\`.`;
  return `${choices}${preset}`.replace(/^(?=.)/, '.');
}

function sentence(command: Command): string {
  return `${command.description().replace(/\.$/, '')}.`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
