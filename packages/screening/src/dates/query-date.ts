// A date of birth as typed into a row: full, partial or unusable.

export interface QueryDate {
  year: number;
  /** 0 if only the year is known. */
  month: number;
  /** 0 if the day is unknown. */
  day: number;
}

const ISO = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?$/;
const FIRST_YEAR = 1000;
const LAST_YEAR = 2100;

/** Reads `YYYY-MM-DD`, `YYYY-MM` or `YYYY`. Undefined if empty, null if invalid. */
export function readQueryDate(text: string): QueryDate | undefined | null {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  const match = ISO.exec(trimmed);
  if (!match) return null;
  const date = { year: Number(match[1]), month: Number(match[2] ?? 0), day: Number(match[3] ?? 0) };
  return isOnCalendar(date, match) ? date : null;
}

function isOnCalendar({ year, month, day }: QueryDate, [, , monthText, dayText]: RegExpExecArray): boolean {
  if (year < FIRST_YEAR || year > LAST_YEAR) return false;
  if (monthText === undefined) return true;
  if (month < 1 || month > 12) return false;
  if (dayText === undefined) return true;
  return day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}
