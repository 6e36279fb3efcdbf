// The service as a process of its own.
import { fileURLToPath } from 'node:url';
import { type EndedProcess, type ListeningProcess, runUntilEnd, startListening } from './listening-process.ts';

const START = fileURLToPath(new URL('../bin/start.js', import.meta.url));
/** Lets the system choose. */
const ANY_PORT = { PORT: '0' };

export type ServerProcess = ListeningProcess;

export function startServer(environment: Record<string, string>): Promise<ServerProcess> {
  return startListening(START, { ...ANY_PORT, ...environment });
}

/** Where it is expected to refuse. */
export function runToEnd(environment: Record<string, string>): Promise<EndedProcess> {
  return runUntilEnd(START, { ...ANY_PORT, ...environment });
}
