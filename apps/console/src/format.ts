// Formats times and durations in the browser's language.

const clock = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23', // narrow and of constant width
});
const minutes = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const day = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });
const dayOfYear = new Intl.DateTimeFormat(undefined, { year: 'numeric', month: 'short', day: 'numeric' });
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' });

/** Shows only the time for today, day and time within this year, and only the day before that. */
export function formatShortTime(at: number, now = Date.now()): string {
  const [then, today] = [new Date(at), new Date(now)];
  if (then.getFullYear() !== today.getFullYear()) return dayOfYear.format(then);
  return then.toDateString() === today.toDateString()
    ? clock.format(then)
    : `${day.format(then)}, ${clock.format(then)}`;
}

/** For times known to the hour. */
export function formatHour(at: number, now = Date.now()): string {
  const hour = new Date(Math.floor(at / 3_600_000) * 3_600_000);
  const [then, today] = [hour, new Date(now)];
  if (then.getFullYear() !== today.getFullYear()) return dayOfYear.format(then);
  const time = minutes.format(then);
  return then.toDateString() === today.toDateString() ? time : `${day.format(then)}, ${time}`;
}

export const formatLongTime = (at: number): string => whole.format(new Date(at));

/** `1.4 s`, `2 min 5 s`, `3 h 10 min`. */
export function formatDuration(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.round(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Replacer for `JSON.stringify` that writes times as ISO 8601, as the host API does. */
export function replaceTimes(name: string, value: unknown): unknown {
  return typeof value === 'number' && /^at$|At$/.test(name) ? new Date(value).toISOString() : value;
}

/** Formats `AGE_ABOVE_THRESHOLD` as `age above threshold`. */
export const formatCode = (code: string): string => code.toLowerCase().replaceAll('_', ' ');
