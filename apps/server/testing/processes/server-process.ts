// The service as a process of its own.
import { fileURLToPath } from 'node:url';
import { type EndedProcess, type ListeningProcess, runUntilEnd, startListening } from './listening-process.ts';

const START = fileURLToPath(new URL('../../bin/start.js', import.meta.url));
/** Lets the system choose the port, and writes no 16 MB for each of many databases. */
const DEFAULTS = { PORT: '0', DISK_RESERVE_MB: '0' };

export type ServerProcess = ListeningProcess;

export function startServer(environment: Record<string, string>): Promise<ServerProcess> {
  return startListening(START, { ...DEFAULTS, ...environment });
}

/** Where it is expected to refuse. */
export function runToEnd(environment: Record<string, string>): Promise<EndedProcess> {
  return runUntilEnd(START, { ...DEFAULTS, ...environment });
}
