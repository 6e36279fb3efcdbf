// The service as a separate process.
import { fileURLToPath } from 'node:url';
import { type EndedProcess, type ListeningProcess, runUntilEnd, startListening } from './listening-process.ts';

const START = fileURLToPath(new URL('../../bin/start.js', import.meta.url));
/** Any free port, and no reserve of 16 MB for each of many databases. */
const DEFAULTS = { PORT: '0', DISK_RESERVE_MB: '0' };

export type ServerProcess = ListeningProcess;

export function startServer(environment: Record<string, string>): Promise<ServerProcess> {
  return startListening(START, { ...DEFAULTS, ...environment });
}

/** Runs a server that is expected to refuse its start. */
export function runToEnd(environment: Record<string, string>): Promise<EndedProcess> {
  return runUntilEnd(START, { ...DEFAULTS, ...environment });
}
