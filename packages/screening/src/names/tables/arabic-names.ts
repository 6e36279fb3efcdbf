// Names in Arabic script and their spelling in the other tables.
import { readMap } from './read-table.ts';

/** Space-separated forms in Arabic script, by Latin spelling. */
export const NAMES_IN_ARABIC_SCRIPT = readMap(new URL('./arabic-names.txt', import.meta.url));
