// `npm test` uses small numbers, `npm run test:long` the same tests with big ones.

export function onlyWhenLong<T>(long: T, short: T): T {
  return process.env['LIMEN_TEST_LONG'] === '1' ? long : short;
}
