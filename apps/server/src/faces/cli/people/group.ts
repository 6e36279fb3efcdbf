// `limen people`: the group of commands about enrolled people, and the deletion of people of all owners.
import type { Command } from 'commander';
import { type Cli, CommandError, examples } from '../../../command-line/command.ts';
import { toPrintable } from '../../../command-line/terminal/print-table.ts';
import { confirm } from '../../../command-line/terminal/terminal.ts';
import { isUuid, type Puid } from '../../../platform/base/ids.ts';
import { addPeopleGraphs } from './graphs.ts';
import { addPeopleImport } from './import.ts';
import { addPeopleList } from './list.ts';
import { addPeopleStats } from './stats.ts';
import { type CountProofs, type CreateForgetPerson, withPeople } from './tools.ts';

/** The callbacks delete and count the data that sessions keep about a person. */
export function addPeopleCommands(
  program: Command,
  cli: Cli,
  { forget, countProofs }: { forget: CreateForgetPerson; countProofs: CountProofs },
): void {
  const people = program
    .command('people')
    .description('Enrolled people: list, delete, count, import; graphs of large galleries');
  addPeopleList(people, cli, countProofs);
  addPeopleDelete(people, cli, forget);
  addPeopleStats(people, cli);
  addPeopleImport(people, cli, forget);
  addPeopleGraphs(people, cli);
}

interface DeleteOptions {
  yes?: true;
  json?: true;
}

function addPeopleDelete(people: Command, cli: Cli, forget: CreateForgetPerson): void {
  people
    .command('delete')
    .description('Delete people permanently, with any customer; a running server no longer finds them')
    .argument('<puid...>', 'people, as shown by: limen people list')
    .option('--yes', 'do not ask for confirmation')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('limen people delete 5f0c8a52-6a3e-4c55-9d0e-0b6f3f9f2f57'))
    .action((puids: Puid[], options: DeleteOptions) => deletePeople(cli, forget, [...new Set(puids)], options));
}

async function deletePeople(cli: Cli, forget: CreateForgetPerson, puids: Puid[], { yes, json }: DeleteOptions) {
  const { print, complain } = cli.terminal;
  if (!yes && process.stdin.isTTY && !(await confirm(`Delete ${countPeople(puids.length)} permanently? [y/N] `))) {
    throw new CommandError('No one was deleted.');
  }
  const deleted: string[] = [];
  const notFound: string[] = [];
  await withPeople(cli, forget, async ({ people, census, record }) => {
    for (const puid of puids) {
      const owner = isUuid(puid) ? await census.findOwner(puid) : undefined;
      if (owner) await record('person.delete', puid);
      if (owner && (await people.remove(owner, puid))) {
        deleted.push(puid);
        if (!json) print(`Deleted ${puid} of ${toPrintable(owner.customer)} (${owner.world}).`);
      } else {
        notFound.push(puid);
        if (!json) complain(`There is no person ${toPrintable(puid)}; see: limen people list`);
      }
    }
  });
  if (json) print(JSON.stringify({ deleted, notFound }, null, 2));
  if (notFound.length > 0) {
    throw new CommandError(`Deleted ${countPeople(deleted.length)}; ${notFound.length} not found.`);
  }
}

function countPeople(count: number): string {
  return count === 1 ? '1 person' : `${count} people`;
}
