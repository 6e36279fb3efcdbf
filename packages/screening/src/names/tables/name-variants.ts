// Groups of names that are one name in another language, romanization or short form.
import { readTable } from './read-table.ts';

/** Groups of the same name in several languages and romanizations, with spaces between the members. */
export const EQUIVALENT_NAMES = readTable(new URL('./equivalent-names.txt', import.meta.url));

/** Groups of a full name, which comes first, and its short and pet forms. */
export const NICKNAMES = readTable(new URL('./nicknames.txt', import.meta.url));
