// Finds ignored environment variables that were probably meant as settings: misspelt names, and secrets given as files.
import { createNameFinder } from './name-finder.ts';

/** Names of other programs are near to shorter names, such as SERVER or PORTS. */
const SHORTEST_COMPARED = 6;
/** Length from which two wrong letters still leave no doubt. */
const LONG = 16;
/** Kubernetes sets such variables for its services: a service `keyholder-0` makes a KEYHOLDER_0_PORT. */
const SERVICE_LINK = /^(tcp|udp|sctp):\/\//;

/** Returns a sentence for each such variable, without its value. */
export function findMisnamedSettings(
  environment: Readonly<Record<string, string | undefined>>,
  settings: Readonly<Record<string, { secret?: true }>>,
): string[] {
  const find = createNameFinder(Object.keys(settings), maxSteps);
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

/** Allows one wrong, missing or extra letter, or two swapped letters. */
function maxSteps(name: string, known: string): number {
  if (known.length < SHORTEST_COMPARED) return 0;
  return known.length >= LONG || hasSameLetters(name, known) ? 2 : 1;
}

function hasSameLetters(left: string, right: string): boolean {
  const sort = (text: string) => [...text].sort().join('');
  return left.length === right.length && sort(left) === sort(right);
}
