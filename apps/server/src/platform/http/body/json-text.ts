// How a JSON reply ends: with the end of a line, so that a terminal's prompt does not run on after it.

/** For replies that no schema writes. */
export function jsonText(value: unknown): string {
  return asLine(JSON.stringify(value));
}

/** For text that is JSON already. */
export function asLine(json: string): string {
  return `${json}\n`;
}
