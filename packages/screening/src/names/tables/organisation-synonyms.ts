// Synonymous words and phrases in organizations' names.
import { readMap, readTable } from './read-table.ts';

/** Space-separated groups of synonyms. */
export const ORGANIZATION_SYNONYMS = readTable(new URL('./organisation-synonyms.txt', import.meta.url));

/** Phrases as `written: replacement`. */
export const PHRASES = readTable(new URL('./organisation-phrases.txt', import.meta.url));

/** Space-separated Arabic and Persian forms, by meaning. */
export const WORDS_IN_ARABIC_SCRIPT = readMap(new URL('./organisation-arabic-words.txt', import.meta.url));
