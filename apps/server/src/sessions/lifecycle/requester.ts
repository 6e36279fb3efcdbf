// Who asks, for the person to read: the label of an API key, made fit for a page.
import { REQUESTER_MAX_LENGTH } from '@limen/contract';

/**
 * The operator's own words, on one line and no longer than a page can show. Marks that turn the direction of writing
 * would turn that of the words around them too.
 */
export function readRequester(label: string | null): string | null {
  const line = (label ?? '')
    .replace(/\p{Bidi_Control}+/gu, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return [...line].slice(0, REQUESTER_MAX_LENGTH).join('').trim() || null;
}
