// The key-holder as a process of its own.
import { fileURLToPath } from 'node:url';
import {
  type EndedProcess,
  type ListeningProcess,
  runUntilEnd,
  startListening,
} from '../processes/listening-process.ts';

const START = fileURLToPath(new URL('../../bin/keyholder.js', import.meta.url));
/** Lets the system choose. */
const ANY_PORT = { KEYHOLDER_PORT: '0' };

export function startKeyHolder(environment: Record<string, string>): Promise<ListeningProcess> {
  return startListening(START, { ...ANY_PORT, ...environment });
}

/** Where it is expected to refuse. */
export function runKeyHolderToEnd(environment: Record<string, string>): Promise<EndedProcess> {
  return runUntilEnd(START, { ...ANY_PORT, ...environment });
}
