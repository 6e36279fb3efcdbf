// `npm test` uses small numbers, `npm run test:long` the same tests with large ones.

export const IS_LONG = process.env['LIMEN_TEST_LONG'] === '1';

export function onlyWhenLong<T>(long: T, short: T): T {
  return IS_LONG ? long : short;
}

/** Kills of a service in the long run: `LIMEN_TEST_KILLS=500` sets 500. */
export const KILLS = Number(process.env['LIMEN_TEST_KILLS'] ?? 20);
