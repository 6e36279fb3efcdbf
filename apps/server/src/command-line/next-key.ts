// A new master key for a command, from standard input.
import { parseMasterKey } from '../platform/sealing/master-key.ts';
import { type Cli, CommandFailure } from './command.ts';

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
