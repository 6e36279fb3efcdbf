// The file that a command reads, or its standard input.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { parseMasterKey } from '../platform/sealing/master-key.ts';
import { type Cli, CommandFailure } from './command.ts';

export interface Input {
  stream: Readable;
  /** Unknown of a pipe. */
  size: number | undefined;
}

/** `-` is standard input. */
export async function openInput(file: string): Promise<Input> {
  if (file === '-') return { stream: process.stdin, size: undefined };
  const found = await stat(file).catch(({ code }: NodeJS.ErrnoException) => {
    const isMissing = code === 'ENOENT' || code === 'ENOTDIR';
    throw new CommandFailure(isMissing ? `There is no file ${file}.` : `${file} cannot be read (${code}).`);
  });
  if (found.isDirectory()) throw new CommandFailure(`${file} is a folder; name the file.`);
  const stream = createReadStream(file);
  await new Promise((resolve, reject) => stream.once('open', resolve).once('error', reject)).catch(({ code }) => {
    throw new CommandFailure(`${file} cannot be read (${code}).`);
  });
  return { stream, size: found.isFile() ? found.size : undefined };
}

/** Never from the arguments: every user of the machine can read those. */
export async function readNextKey({ terminal }: Pick<Cli, 'terminal'>): Promise<Buffer> {
  const key = parseMasterKey(await terminal.readInput());
  if (!key) {
    throw new CommandFailure(
      'Standard input is not 32 bytes in base64 (make a key with: limen master-key generate); ' +
        'nothing was changed.',
    );
  }
  return key;
}
