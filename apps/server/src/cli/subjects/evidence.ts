// `limen subjects evidence`: all that is known and was found of one subject, as JSON or as a page to file.
import type { Command } from 'commander';
import { collectEvidence } from '../../features/watched-subjects/evidence.ts';
import { evidencePage } from '../../features/watched-subjects/evidence-page.ts';
import { renderPage } from '../../platform/http/pages/page.ts';
import { type Cli, examples } from '../command.ts';
import { findTarget, openOutput } from '../screen/outputs.ts';
import { findSubject, SUBJECT_ARGUMENT, withKeyOption, withSubjects } from './tools.ts';

interface EvidenceOptions {
  keyId: string;
  html?: string;
}

export function addSubjectsEvidence(subjects: Command, cli: Cli): void {
  withKeyOption(subjects.command('evidence'))
    .description('Export the evidence for a subject: every change of what was found, and every decision')
    .argument('<subject>', SUBJECT_ARGUMENT)
    .option('--html <file>', 'write it as a page instead; - is standard output')
    .addHelpText(
      'after',
      examples(
        'limen subjects evidence customer-1071 --key-id 5f0c8a52-6a3e-4c55-9d0e-0b6f3f9f2f57 > evidence.json',
        'limen subjects evidence customer-1071 --key-id 5f0c8a52-6a3e-4c55-9d0e-0b6f3f9f2f57 --html evidence.html',
      ),
    )
    .action((subject: string, options: EvidenceOptions) => exportEvidence(cli, subject, options));
}

async function exportEvidence(cli: Cli, named: string, { keyId, html }: EvidenceOptions): Promise<void> {
  const target = await findTarget(html ?? '-');
  const evidence = await withSubjects(cli, keyId, async (tools) =>
    collectEvidence(tools.watched, await findSubject(tools, named), cli.clock.now()),
  );
  const text = html === undefined ? JSON.stringify(evidence, null, 2) : renderPage(evidencePage(evidence)).markup;
  const output = await openOutput(target, cli.terminal);
  try {
    await output.write(text);
    await output.finish();
  } catch (error) {
    await output.discard();
    throw error;
  }
}
