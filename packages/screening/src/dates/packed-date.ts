// A listed date of birth packed into one number: partial, circa or a span of years.
//
// Bits from low to high: day 5, month 4, year 12, circa 1, further years of a span 10. Unknown
// parts are 0.

export interface ListedDate {
  year: number;
  month: number;
  day: number;
  circa: boolean;
  /** Last year of a span; otherwise equal to `year`. */
  lastYear: number;
}

const LISTED = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?(~)?$/;
const SPAN = /^(\d{4})[^/]*\/(\d{4})/;
const MAX_SPAN = 1023;
/** Highest year that fits into its bits. */
const LAST_YEAR = 2100;

/** Returns undefined for texts that are not in ListedEntity's date format. */
export function packDate(text: string): number | undefined {
  const span = SPAN.exec(text);
  if (span) {
    const first = Number(span[1]);
    const years = Number(span[2]) - first;
    return years < 0 || years > MAX_SPAN || first > LAST_YEAR ? undefined : pack(first, 0, 0, false, years);
  }
  const match = LISTED.exec(text);
  if (!match) return undefined;
  const [year, month, day] = [Number(match[1]), Number(match[2] ?? 0), Number(match[3] ?? 0)];
  if (year > LAST_YEAR || month > 12 || day > 31) return undefined;
  return pack(year, month, day, match[4] !== undefined, 0);
}

export function unpackDate(packed: number): ListedDate {
  return {
    day: unpackDay(packed),
    month: unpackMonth(packed),
    year: unpackYear(packed),
    circa: isCirca(packed),
    lastYear: unpackLastYear(packed),
  };
}

export const unpackDay = (packed: number): number => packed & 0x1f;
export const unpackMonth = (packed: number): number => (packed >>> 5) & 0xf;
export const unpackYear = (packed: number): number => (packed >>> 9) & 0xfff;
export const isCirca = (packed: number): boolean => ((packed >>> 21) & 1) === 1;
export const unpackLastYear = (packed: number): number => unpackYear(packed) + (packed >>> 22);

/** Returns the year if the entity has exactly one date without doubt, otherwise 0. */
export function certainYear(dates: Uint32Array, from: number, to: number): number {
  if (to !== from + 1) return 0;
  const packed = dates[from]!;
  return packed >>> 21 === 0 ? packed >>> 9 : 0;
}

/** Returns whether the date has this day and month, in any year. */
export function isOnDay(packed: number, month: number, day: number): boolean {
  return (packed & 0x1ff) === ((month << 5) | day);
}

/** Packs a full date as a list would. */
export function packDay({ year, month, day }: { year: number; month: number; day: number }): number {
  return pack(year, month, day, false, 0);
}

function pack(year: number, month: number, day: number, circa: boolean, furtherYears: number): number {
  return ((furtherYears << 22) | (circa ? 1 << 21 : 0) | (year << 9) | (month << 5) | day) >>> 0;
}

/** Returns whether the date is a single day. */
export function isFullDay(packed: number): boolean {
  return (packed & 0x1f) !== 0 && packed >>> 21 === 0;
}
