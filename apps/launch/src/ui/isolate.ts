// Keeps a name apart from the sentence around it: whatever direction it is written in, the sentence keeps its own.

export function isolate(name: string): string {
  return `\u2068${name}\u2069`;
}
