// Converts the lists' date formats to `YYYY`, `YYYY-MM`, `YYYY-MM-DD`, `date~` (circa) and
// `from/to`.

const MIN_YEAR = 1800;
const MAX_YEAR = 2100;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** Month and day may be 0 for unknown, as in lists. Returns null for invalid days. */
export function formatListedDate(year: number, month = 0, day = 0): string | null {
  if (![year, month, day].every(Number.isInteger)) return null;
  if (!(year >= MIN_YEAR && year <= MAX_YEAR && month >= 0 && month <= 12)) return null;
  if (month === 0) return day === 0 ? `${year}` : null;
  const yearAndMonth = `${year}-${padTwo(month)}`;
  if (day === 0) return yearAndMonth;
  // Day 0 of the next month is the last day of this month.
  const lastDay = new Date(Date.UTC(year, month, 0)).getUTCDate();
  return day > 0 && day <= lastDay ? `${yearAndMonth}-${padTwo(day)}` : null;
}

function padTwo(value: number): string {
  return value < 10 ? `0${value}` : `${value}`;
}

/** `1971`, `1971-05`, `1971-05-05`. Ignores a time; zeros mean unknown. */
export function readIsoDate(text: string): string | null {
  const match = /^(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?(?:[T ][\d:.+Z-]*)?$/.exec(text);
  return match === null ? null : formatListedDate(Number(match[1]), Number(match[2] ?? 0), Number(match[3] ?? 0));
}

/** `05 May 1971`, `5-May-1971`, `May 1971`, `1971`, also with full month names. */
export function readEnglishDate(text: string): string | null {
  const match = /^(?:(?:(\d{1,2})[\s-]+)?([a-z]{3,9})\.?[\s-]+)?(\d{4})$/i.exec(text);
  if (match === null) return null;
  const month = match[2] === undefined ? 0 : findMonth(match[2]);
  return month === undefined ? null : formatListedDate(Number(match[3]), month, Number(match[1] ?? 0));
}

/** `Between Aug. and Sep. 1977`, `Nov. 1976 to Jan. 1977`. */
export function readMonths(text: string): string | null {
  const match = /^(?:between|from)?\s*([a-z]{3,9})\.?(?:\s+(\d{4}))?\s+(?:and|to)\s+([a-z]{3,9})\.?\s+(\d{4})$/i.exec(
    text.trim(),
  );
  if (match === null) return null;
  const [, first, firstYear, last, lastYear] = match;
  return joinSpan(readEnglishDate(`${first} ${firstYear ?? lastYear}`), readEnglishDate(`${last} ${lastYear}`));
}

function findMonth(name: string): number | undefined {
  const position = MONTHS.indexOf(name.slice(0, 3).toLowerCase());
  return position === -1 ? undefined : position + 1;
}

/** `15/02/1970`; `dd`, `mm` and `00` mean unknown. */
export function readSlashDate(text: string): string | null {
  const match = /^(?:(dd|\d{1,2})\/)?(?:(mm|\d{1,2})\/)?(\d{4})$/i.exec(text);
  if (match === null) return null;
  // A lone first part is the month: `02/1970`.
  const [day, month] = match[2] === undefined ? ['0', match[1] ?? '0'] : [match[1] ?? '0', match[2]];
  const monthNumber = Number(month.replace(/mm/i, '0'));
  // Without a month, the day adds nothing to the year.
  return formatListedDate(Number(match[3]), monthNumber, monthNumber === 0 ? 0 : Number(day.replace(/dd/i, '0')));
}

/** `1970s` is a span of ten years. */
export function readDecade(text: string): string | null {
  const match = /^(?:early|mid|late)?[\s-]*(\d{3})0s$/i.exec(text);
  return match === null ? null : joinSpan(readIsoDate(`${match[1]}0`), readIsoDate(`${match[1]}9`));
}

export function markCirca(date: string | null): string | null {
  // Spans are imprecise already, and the format has no mark for uncertain ones.
  return date === null || date.includes('/') || date.endsWith('~') ? date : `${date}~`;
}

/** Returns null if either end is unreadable or the end precedes the start. */
export function joinSpan(from: string | null, to: string | null): string | null {
  if (from === null || to === null || from.slice(0, to.length) > to.slice(0, from.length)) return null;
  return from === to ? from : `${from}/${to}`;
}

/** For last changes: returns an ISO date or date-time unchanged if its day exists. */
export function readTimestamp(text: string): string | null {
  const match = /^(\d{4}-\d{2}-\d{2})(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/.exec(text);
  return match !== null && readIsoDate(match[1]!) !== null ? text : null;
}
