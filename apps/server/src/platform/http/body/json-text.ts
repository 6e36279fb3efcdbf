// Ends JSON replies with a line break, for terminals.

export function jsonText(value: unknown): string {
  return asLine(JSON.stringify(value));
}

export function asLine(json: string): string {
  return `${json}\n`;
}
