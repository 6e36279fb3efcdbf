// Words and phrases in the names of organizations that mean the same.
import { readMap, readTable } from './read-table.ts';

/** Groups of words with one meaning, with spaces between the members. */
export const ORGANISATION_SYNONYMS = readTable(new URL('./organisation-synonyms.txt', import.meta.url));

/** Phrases as `written: replacement`. */
export const PHRASES = readTable(new URL('./organisation-phrases.txt', import.meta.url));

/** Arabic and Persian forms, with spaces between them, by meaning. */
export const WORDS_IN_ARABIC_SCRIPT = readMap(new URL('./organisation-arabic-words.txt', import.meta.url));
