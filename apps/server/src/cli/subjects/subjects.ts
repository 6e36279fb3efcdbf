// `limen subjects`: brings in watched subjects.
import type { Command } from 'commander';
import type { Cli } from '../command.ts';
import { addSubjectsImport } from './import.ts';

export function addSubjectsCommands(program: Command, cli: Cli): void {
  const subjects = program.command('subjects').description('Watched subjects: import');
  addSubjectsImport(subjects, cli);
}
