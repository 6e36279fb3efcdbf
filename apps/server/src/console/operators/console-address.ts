// Where the console of the service that runs on a data folder really is: its port may be any free one, or another than the settings of a
// command say. The service leaves a note in the folder; one that a killed process left behind is not believed.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';

const FILE = 'console-address';
const ANSWER_MS = 1_000;

/** Says how the note is taken away again. */
export function noteConsoleAddress(dataDir: string, url: string): () => void {
  const path = join(dataDir, FILE);
  const note = `${url}\n`;
  writeFileSync(path, note, { mode: 0o600 });
  return () => {
    // Another process on the same folder may have left its own since.
    if (existsSync(path) && readFileSync(path, 'utf8') === note) rmSync(path, { force: true });
  };
}

/** Undefined where none runs. */
export async function readConsoleAddress(dataDir: string): Promise<string | undefined> {
  const noted = await readFile(join(dataDir, FILE), 'utf8').then(
    (text) => text.trim(),
    () => '',
  );
  return URL.canParse(noted) && (await answers(Number(new URL(noted).port))) ? noted : undefined;
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: 'localhost', port, timeout: ANSWER_MS });
    const end = (isThere: boolean) => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once('connect', () => end(true)).once('error', () => end(false));
    socket.once('timeout', () => end(false));
  });
}
