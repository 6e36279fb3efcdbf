// Opens the file that a command reads, or its standard input.
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { parseMasterKey } from '../platform/sealing/master-key.ts';
import { type Cli, CommandError } from './command.ts';

export interface Input {
  stream: Readable;
  size: number | undefined;
}

export async function openInput(file: string): Promise<Input> {
  if (file === '-') return { stream: process.stdin, size: undefined };
  try {
    const found = await stat(file);
    if (found.isDirectory()) throw new CommandError(`${file} is a folder; name the file.`);
    const stream = createReadStream(file);
    await once(stream, 'open');
    return { stream, size: found.isFile() ? found.size : undefined };
  } catch (error) {
    throw error instanceof CommandError ? error : cannotRead(file, error as NodeJS.ErrnoException);
  }
}

export function cannotRead(file: string, { code }: NodeJS.ErrnoException): CommandError {
  const isMissing = code === 'ENOENT' || code === 'ENOTDIR';
  return new CommandError(isMissing ? `There is no file ${file}.` : `${file} cannot be read (${code}).`);
}

/** Reads a key from standard input, because every user of the machine can read the arguments of a command. */
export async function readNextKey({ terminal }: Pick<Cli, 'terminal'>): Promise<Buffer> {
  const key = parseMasterKey(await terminal.readInput());
  if (!key) {
    throw new CommandError(
      'Standard input is not 32 bytes in base64 (make a key with: limen master-key generate); ' +
        'nothing was changed.',
    );
  }
  return key;
}
