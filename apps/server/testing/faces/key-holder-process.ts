// The key-holder as a separate process.
import { fileURLToPath } from 'node:url';
import {
  type EndedProcess,
  type ListeningProcess,
  runUntilEnd,
  startListening,
} from '../processes/listening-process.ts';

const START = fileURLToPath(new URL('../../bin/keyholder.js', import.meta.url));
/** Any free port */
const ANY_PORT = { KEYHOLDER_PORT: '0' };

export function startKeyHolder(environment: Record<string, string>): Promise<ListeningProcess> {
  return startListening(START, { ...ANY_PORT, ...environment });
}

/** Runs a key-holder that is expected to refuse its start. */
export function runKeyHolderToEnd(environment: Record<string, string>): Promise<EndedProcess> {
  return runUntilEnd(START, { ...ANY_PORT, ...environment });
}
