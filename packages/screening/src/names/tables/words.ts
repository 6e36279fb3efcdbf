// Splits a block of words into a list, to keep long tables readable.

export function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}
