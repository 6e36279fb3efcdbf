// Turns a block of words into a list, so that a long table stays readable in its file.

export function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}
