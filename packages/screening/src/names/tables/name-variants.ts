// Groups of equivalent names: other languages, romanizations, short forms.
import { readTable } from './read-table.ts';

/** Space-separated groups of one name in several languages and romanizations. */
export const EQUIVALENT_NAMES = readTable(new URL('./equivalent-names.txt', import.meta.url));

/** Groups of a full name, which comes first, and its short and pet forms. */
export const NICKNAMES = readTable(new URL('./nicknames.txt', import.meta.url));
