// Reads a file of certificates that the operator names; what is wrong with it is a sentence.
import { readFile } from 'node:fs/promises';
import { AnchorError } from '@limen/wallet';
import { CommandFailure } from '../../../command-line/command.ts';
import { toPrintable } from '../../../command-line/terminal/print-table.ts';

export async function readPemFile<T>(file: string, read: (pem: string) => Promise<T>): Promise<T> {
  const pem = await readFile(file, 'utf8').catch(() => {
    throw new CommandFailure(`${toPrintable(file)} cannot be read.`);
  });
  return read(pem).catch((error: unknown) => {
    if (error instanceof AnchorError) throw new CommandFailure(`${toPrintable(file)}: ${error.message}`);
    throw error;
  });
}
