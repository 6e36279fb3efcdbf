// Names in Arabic script and the spelling under which the other tables know them.
import { readMap } from './read-table.ts';

/** Forms in Arabic script, with spaces between them, by Latin spelling. */
export const NAMES_IN_ARABIC_SCRIPT = readMap(new URL('./arabic-names.txt', import.meta.url));
