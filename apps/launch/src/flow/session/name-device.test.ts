import { expect, test } from 'vitest';
import { type DeviceName, nameDevice } from './name-device.ts';

const CHROME = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0';
const WEBKIT = 'AppleWebKit/605.1.15 (KHTML, like Gecko)';
const IPHONE = 'iPhone; CPU iPhone OS 18_6 like Mac OS X';
const MAC = 'Macintosh; Intel Mac OS X 10_15_7';

test.each<[string, DeviceName]>([
  [`(Windows NT 10.0; Win64; x64) ${CHROME} Safari/537.36`, { browser: 'Chrome', system: 'Windows' }],
  [`(Windows NT 10.0; Win64; x64) ${CHROME} Safari/537.36 Edg/140.0.0.0`, { browser: 'Edge', system: 'Windows' }],
  [`(Windows NT 10.0; Win64; x64) ${CHROME} Safari/537.36 OPR/120.0.0.0`, { browser: 'Opera', system: 'Windows' }],
  ['(Windows NT 10.0; Win64; x64; rv:143.0) Gecko/20100101 Firefox/143.0', { browser: 'Firefox', system: 'Windows' }],
  ['(X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0', { browser: 'Firefox', system: 'Linux' }],
  [`(X11; CrOS x86_64 16181.61.0) ${CHROME} Safari/537.36`, { browser: 'Chrome', system: 'ChromeOS' }],
  [`(${MAC}) ${WEBKIT} Version/26.0 Safari/605.1.15`, { browser: 'Safari', system: 'macOS' }],
  [`(${IPHONE}) ${WEBKIT} Version/18.6 Mobile/15E148 Safari/604.1`, { browser: 'Safari', system: 'iOS' }],
  [`(${IPHONE}) ${WEBKIT} CriOS/140.0 Mobile/15E148 Safari/604.1`, { browser: 'Chrome', system: 'iOS' }],
  [`(${IPHONE}) ${WEBKIT} FxiOS/143.0 Mobile/15E148 Safari/605.1.15`, { browser: 'Firefox', system: 'iOS' }],
  [`(${IPHONE}) ${WEBKIT} Version/18.6 EdgiOS/140.0 Mobile/15E148 Safari/604.1`, { browser: 'Edge', system: 'iOS' }],
  [`(${IPHONE}) ${WEBKIT} GSA/380.0 Mobile/15E148 Safari/604.1`, { browser: 'other', system: 'iOS' }],
  [
    `(iPad; CPU OS 12_5 like Mac OS X) ${WEBKIT} Version/12.1.2 Mobile/15E148 Safari/604.1`,
    { browser: 'Safari', system: 'iPadOS' },
  ],
  [`(Linux; Android 10; K) ${CHROME} Mobile Safari/537.36`, { browser: 'Chrome', system: 'Android' }],
  [
    '(Linux; Android 15; SM-S921B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36',
    { browser: 'Samsung Internet', system: 'Android' },
  ],
  [`(Linux; Android 15; Pixel 8; wv) ${CHROME} Mobile Safari/537.36`, { browser: 'other', system: 'Android' }],
  ['a program', { browser: 'other', system: 'other' }],
])('names the device of "%s"', (rest, name) => {
  expect(nameDevice({ userAgent: `Mozilla/5.0 ${rest}`, maxTouchPoints: 0 })).toEqual(name);
});

test('recognizes an iPad that identifies as a Mac by its touch screen', () => {
  const userAgent = `Mozilla/5.0 (${MAC}) ${WEBKIT} Version/18.6 Safari/605.1.15`;
  expect(nameDevice({ userAgent, maxTouchPoints: 5 })).toEqual({ browser: 'Safari', system: 'iPadOS' });
});

test.each<[string[], string, DeviceName]>([
  [['Chromium', 'Google Chrome', 'Not=A?Brand'], 'Windows', { browser: 'Chrome', system: 'Windows' }],
  [['Not)A;Brand', 'Chromium', 'Microsoft Edge'], 'macOS', { browser: 'Edge', system: 'macOS' }],
  [['Chromium', 'Not;A=Brand'], 'Linux', { browser: 'Chrome', system: 'Linux' }],
  [['Not:A-Brand', 'Chromium'], 'Chrome OS', { browser: 'Chrome', system: 'ChromeOS' }],
  // Its user agent says Chrome, but people call it Brave.
  [['Brave', 'Chromium', 'Not A(Brand'], 'Windows', { browser: 'other', system: 'Windows' }],
])('prefers the brands %o on %s', (brands, platform, name) => {
  const userAgentData = { brands: brands.map((brand) => ({ brand })), platform };
  const userAgent = `Mozilla/5.0 (X11; Linux x86_64) ${CHROME} Safari/537.36`;
  expect(nameDevice({ userAgent, maxTouchPoints: 0, userAgentData })).toEqual(name);
});
