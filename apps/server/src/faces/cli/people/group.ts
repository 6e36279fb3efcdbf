// `limen people`: lists, deletes, counts and imports the people of the biometric node, and makes graphs of large galleries.
import type { Command } from 'commander';
import type { Cli } from '../../../command-line/command.ts';
import { addPeopleDelete } from './delete.ts';
import { addPeopleGraphs } from './graphs.ts';
import { addPeopleImport } from './import.ts';
import { addPeopleList } from './list.ts';
import { addPeopleStats } from './stats.ts';
import type { CountProofs, ForgetElsewhere } from './tools.ts';

/** People do not know sessions: what sessions keep about a person is deleted and counted from above. */
export interface PeopleInSessions {
  forget: ForgetElsewhere;
  countProofs: CountProofs;
}

export function addPeopleCommands(program: Command, cli: Cli, { forget, countProofs }: PeopleInSessions): void {
  const people = program
    .command('people')
    .description('Enrolled people: list, delete, count, import; graphs of large galleries');
  addPeopleList(people, cli, countProofs);
  addPeopleDelete(people, cli, forget);
  addPeopleStats(people, cli);
  addPeopleImport(people, cli, forget);
  addPeopleGraphs(people, cli);
}
