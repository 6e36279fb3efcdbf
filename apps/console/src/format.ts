// Times and durations for people, in the browser's language.

const clock = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23', // narrow, and the same length all day
});
const minutes = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const day = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });
const dayOfYear = new Intl.DateTimeFormat(undefined, { year: 'numeric', month: 'short', day: 'numeric' });
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' });

/** The time alone for today, with the day otherwise, and of another year the day alone. */
export function shortTime(at: number, now = Date.now()): string {
  const [then, today] = [new Date(at), new Date(now)];
  if (then.getFullYear() !== today.getFullYear()) return dayOfYear.format(then);
  return then.toDateString() === today.toDateString()
    ? clock.format(then)
    : `${day.format(then)}, ${clock.format(then)}`;
}

/** Of what is known to the hour. */
export function hourTime(at: number, now = Date.now()): string {
  const hour = new Date(Math.floor(at / 3_600_000) * 3_600_000);
  const [then, today] = [hour, new Date(now)];
  if (then.getFullYear() !== today.getFullYear()) return dayOfYear.format(then);
  const time = minutes.format(then);
  return then.toDateString() === today.toDateString() ? time : `${day.format(then)}, ${time}`;
}

export const longTime = (at: number): string => whole.format(new Date(at));

/** `1.4 s`, `2 min 5 s`, `3 h 10 min`. */
export function duration(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.round(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** For `JSON.stringify`: every time as the API of hosts has it, ISO 8601. */
export function withIsoTimes(name: string, value: unknown): unknown {
  return typeof value === 'number' && /^at$|At$/.test(name) ? new Date(value).toISOString() : value;
}

/** `AGE_ABOVE_THRESHOLD` as `age above threshold`. */
export const words = (code: string): string => code.toLowerCase().replaceAll('_', ' ');
