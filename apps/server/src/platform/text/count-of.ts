// Writes numbers with what they count, such as `1 row`, `2 rows` or an age of `36 hours`.

export function formatCount(number: number, singular: string, plural = `${singular}s`): string {
  return `${number.toLocaleString('en')} ${number === 1 ? singular : plural}`;
}

export function countEntities(number: number): string {
  return formatCount(number, 'entity', 'entities');
}

const HOUR_MS = 3_600_000;

export function describeAge(ageMs: number): string {
  const hours = Math.floor(ageMs / HOUR_MS);
  return hours < 48 ? formatCount(hours, 'hour') : formatCount(Math.floor(hours / 24), 'day');
}
