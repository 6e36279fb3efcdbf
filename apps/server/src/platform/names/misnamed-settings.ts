// Finds variables that were meant as settings and would be ignored: names that are nearly ours, and secrets given as files.
import { createNameFinder } from './name-finder.ts';

/** Other programs have names that are near to a shorter one, such as SERVER or PORTS. */
const SHORTEST_COMPARED = 6;
/** From this length on, two wrong letters still leave no doubt. */
const LONG = 16;
/** Kubernetes sets such a variable for each of its services, so a service `keyholder-0` makes a KEYHOLDER_0_PORT. */
const SERVICE_LINK = /^(tcp|udp|sctp):\/\//;

/** Returns a sentence for each variable that nearly has the name of one of `settings`. Shows no values. */
export function findMisnamedSettings(
  environment: Readonly<Record<string, string | undefined>>,
  settings: Readonly<Record<string, { secret?: true }>>,
): string[] {
  const find = createNameFinder(Object.keys(settings), { mostSteps });
  const isSet = (name: string) => Boolean(environment[name]?.trim());
  return Object.keys(environment).flatMap((name) => {
    if (name in settings || !isSet(name) || SERVICE_LINK.test(environment[name]!)) return [];
    const base = name.replace(/_FILE$/, '');
    if (base !== name && settings[base]?.secret) {
      // Start scripts of images read the file into the setting and leave both in the environment.
      if (isSet(base)) return [];
      return [`${name} is not read: set ${base} to the content of the file, such as ${base}="$(cat FILE)".`];
    }
    const meant = find(name);
    // On Windows, names that differ in case only are one variable.
    if (meant === undefined || environment[meant] === environment[name]) return [];
    return [`${name} is not a setting; ${meant} is. Rename it, or remove it if it is for another program.`];
  });
}

/** One wrong, missing or extra letter, or two letters that changed places. */
function mostSteps(given: string, known: string): number {
  if (known.length < SHORTEST_COMPARED) return 0;
  return known.length >= LONG || hasSameLetters(given, known) ? 2 : 1;
}

function hasSameLetters(left: string, right: string): boolean {
  const sort = (text: string) => [...text].sort().join('');
  return left.length === right.length && sort(left) === sort(right);
}
