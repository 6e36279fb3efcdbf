// `limen subjects evidence`: writes what is known and was found for a watched subject into a file, beside a running server or without one.
import type { Command } from 'commander';
import { type Cli, CommandFailure, examples } from '../../../command-line/command.ts';
import { findTarget, openOutput } from '../../../command-line/outputs.ts';
import { renderStandalonePage } from '../../../platform/http/pages/standalone.ts';
import { collectEvidence, writeEvidence } from '../../subjects/evidence/collect.ts';
import { evidencePage } from '../../subjects/evidence/page.ts';
import { findSubject, SUBJECT_ARGUMENT, withKeyOption, withSubjects } from './tools.ts';

interface EvidenceOptions {
  keyId: string;
  html?: string;
  json?: string;
}

export function addSubjectsEvidence(subjects: Command, cli: Cli): void {
  withKeyOption(subjects.command('evidence'))
    .description('Write the evidence for a watched subject: as a page to read, print or file, or as JSON')
    .argument('<subject>', SUBJECT_ARGUMENT)
    .option('--html <file>', 'a page that needs nothing from elsewhere; - is standard output')
    .option('--json <file>', 'what the service answers; - is standard output')
    .addHelpText(
      'after',
      examples(
        'limen subjects evidence customer-1071 --key-id 5f0c8a52-6a3e-4c55-9d0e-0b6f3f9f2f57 --html evidence.html',
      ),
    )
    .action((subject: string, options: EvidenceOptions) => runEvidence(cli, subject, options));
}

async function runEvidence(cli: Cli, named: string, { keyId, html, json }: EvidenceOptions): Promise<void> {
  if (html === undefined && json === undefined)
    throw new CommandFailure('Say where it goes: --html FILE, --json FILE, or both.', { usage: true });
  await withSubjects(cli, keyId, async (tools) => {
    const collect = async () => collectEvidence(tools.watched, await findSubject(tools, named), cli.clock.now());
    if (html !== undefined) await writeTo(cli, html, renderStandalonePage(evidencePage(await collect())));
    if (json !== undefined) await writeTo(cli, json, writeEvidence(await collect()));
  });
}

/** A file appears under its name only when it is complete. */
async function writeTo(cli: Cli, name: string, pieces: AsyncIterable<string>): Promise<void> {
  const output = await openOutput(await findTarget(name), cli.terminal);
  try {
    for await (const piece of pieces) await output.write(piece);
    await output.finish();
  } catch (error) {
    await output.discard();
    throw error;
  }
}
