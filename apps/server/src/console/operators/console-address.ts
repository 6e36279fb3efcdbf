// Finds the console that runs on a data folder by a note there. Notes of killed processes are ignored.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';

const FILE = 'console-address';
const ANSWER_MS = 1_000;

/** Writes the note. Returns a function that removes it. */
export function noteConsoleAddress(dataDir: string, url: string): () => void {
  const path = join(dataDir, FILE);
  const note = `${url}\n`;
  writeFileSync(path, note, { mode: 0o600 });
  return () => {
    // Another process on the same folder may have replaced it.
    if (existsSync(path) && readFileSync(path, 'utf8') === note) rmSync(path, { force: true });
  };
}

export async function readConsoleAddress(dataDir: string): Promise<string | undefined> {
  const noted = (await readFile(join(dataDir, FILE), 'utf8').catch(() => '')).trim();
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
