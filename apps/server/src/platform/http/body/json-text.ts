// Ends JSON replies with a line break, for terminals.

export function jsonText(value: unknown): string {
  return asLine(JSON.stringify(value));
}

/** For text that is JSON already */
export function asLine(json: string): string {
  return `${json}\n`;
}
