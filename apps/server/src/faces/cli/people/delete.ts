// `limen people delete`: deletes people whoever owns them, with all that is known of their faces.
import type { Command } from 'commander';
import { type Cli, CommandFailure, examples } from '../../../command-line/command.ts';
import { toPrintable } from '../../../command-line/terminal/print-table.ts';
import { confirm } from '../../../command-line/terminal/terminal.ts';
import type { Owner } from '../../../platform/api-keys/owner.ts';
import { isUuid, type Puid } from '../../../platform/base/ids.ts';
import { type ForgetElsewhere, type PeopleTools, withPeople } from './tools.ts';

interface DeleteOptions {
  yes?: true;
  json?: true;
}

export function addPeopleDelete(people: Command, cli: Cli, forget: ForgetElsewhere): void {
  people
    .command('delete')
    .description('Delete people for good, whoever enrolled them; a running server no longer finds them')
    .argument('<puid...>', 'people, as shown by: limen people list')
    .option('--yes', 'do not ask first')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('limen people delete 5f0c8a52-6a3e-4c55-9d0e-0b6f3f9f2f57'))
    .action((puids: Puid[], options: DeleteOptions) => deletePeople(cli, forget, [...new Set(puids)], options));
}

async function deletePeople(
  cli: Cli,
  forget: ForgetElsewhere,
  puids: Puid[],
  { yes, json }: DeleteOptions,
): Promise<void> {
  const { print, complain } = cli.terminal;
  if (!yes && process.stdin.isTTY && !(await confirm(`Delete ${countPeople(puids.length)} for good? [y/N] `))) {
    throw new CommandFailure('Nobody was deleted.');
  }
  const deleted: string[] = [];
  const notFound: string[] = [];
  await withPeople(cli, forget, async (tools) => {
    for (const puid of puids) {
      const owner = await deletePerson(tools, puid);
      if (owner === undefined) {
        notFound.push(puid);
        if (!json) complain(`There is no person ${toPrintable(puid)}; see: limen people list`);
      } else {
        deleted.push(puid);
        if (!json) print(`Deleted ${puid} of ${toPrintable(owner.customer)} (${owner.world}).`);
      }
    }
  });
  if (json) print(JSON.stringify({ deleted, notFound }, null, 2));
  if (notFound.length > 0) {
    throw new CommandFailure(`Deleted ${countPeople(deleted.length)}; ${notFound.length} not found.`);
  }
}

/** Whose they were. */
async function deletePerson({ people, census, record }: PeopleTools, puid: Puid): Promise<Owner | undefined> {
  const owner = isUuid(puid) ? await census.findOwner(puid) : undefined;
  if (owner === undefined) return undefined;
  await record('person.delete', puid);
  return (await people.remove(owner, puid)) ? owner : undefined;
}

function countPeople(count: number): string {
  return count === 1 ? '1 person' : `${count} people`;
}
