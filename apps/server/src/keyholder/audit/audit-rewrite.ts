// Lines of an earlier version, without what named a session to whoever knew its id and what a host wrote of a device: linked anew.
import { hashLine } from './audit-chain.ts';

/** The first digits of the SHA-256 of an id, which everybody can make who has the id. */
const OLD_SESSION = /^[0-9a-f]{32}$/;
const OF_HOST = ['os', 'model', 'resolution'] as const;

interface Line {
  previous?: unknown;
  session?: unknown;
  facts?: Record<string, unknown>;
}

/** Undefined where these are not the lines that were written: what somebody changed must not look sound afterwards. */
export function rewriteLines(
  text: string,
  written: { lines: number; start: string; hash: string },
  start: string,
): { text: string; hash: string } | undefined {
  const lines = text.split('\n').slice(0, written.lines);
  let [before, previous] = [written.start, start];
  const made: string[] = [];
  try {
    for (const old of lines) {
      const line = JSON.parse(old) as Line;
      if (line.previous !== before) return undefined;
      before = hashLine(old);
      const fresh = JSON.stringify({ ...withoutOldNames(line), previous });
      previous = hashLine(fresh);
      made.push(`${fresh}\n`);
    }
  } catch {
    return undefined; // no line at all
  }
  return before === written.hash ? { text: made.join(''), hash: previous } : undefined;
}

function withoutOldNames({ session, facts, ...line }: Line): Line {
  const kept =
    facts && Object.fromEntries(Object.entries(facts).filter(([name]) => !OF_HOST.some((of) => of === name)));
  const isOld = typeof session === 'string' && OLD_SESSION.test(session);
  return { ...line, ...(session !== undefined && !isOld && { session }), ...(kept && { facts: kept }) };
}
