// `limen subjects`: brings in watched subjects, and works through what was found for them.
import type { Command } from 'commander';
import type { Cli } from '../../../command-line/command.ts';
import { addSubjectsAlerts } from './alerts.ts';
import { addSubjectsDecide } from './decide.ts';
import { addSubjectsEvidence } from './evidence.ts';
import { addSubjectsImport } from './import.ts';
import { addSubjectsList } from './list.ts';
import { addSubjectsRemove } from './remove.ts';
import { addSubjectsShow } from './show.ts';
import { addSubjectsWithdraw } from './withdraw.ts';

export function addSubjectsCommands(program: Command, cli: Cli): void {
  const subjects = program
    .command('subjects')
    .description('Watched subjects: import, list, show, decide, withdraw, alerts, evidence, remove');
  addSubjectsImport(subjects, cli);
  addSubjectsList(subjects, cli);
  addSubjectsShow(subjects, cli);
  addSubjectsDecide(subjects, cli);
  addSubjectsWithdraw(subjects, cli);
  addSubjectsAlerts(subjects, cli);
  addSubjectsEvidence(subjects, cli);
  addSubjectsRemove(subjects, cli);
}
