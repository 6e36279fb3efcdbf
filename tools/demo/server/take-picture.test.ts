// Pictures extracted from webhooks, and people remembered from them.
import { SELFIE_MAX_BYTES } from '@limen/plan';
import { expect, it } from 'vitest';
import { createPeopleList, enrolledPuid } from './people-list.ts';
import { takePicture } from './take-picture.ts';

const JPEG = Buffer.from([0xff, 0xd8, 0xff, 0xe0, ...new Array<number>(60).fill(7)]);
const pictured = (data: unknown) => ({ status: 'SUCCESS', images: [{ type: 'selfie', data }] });

it('extracts a picture and leaves its beginning in the body', () => {
  const data = JPEG.toString('base64');
  const { body, picture } = takePicture(pictured(data));
  expect(picture).toEqual(JPEG);
  expect(body).toEqual(pictured(`${data.slice(0, 16)}… (${data.length} characters)`));
});

it('extracts the largest picture that the service sends', () => {
  const largest = Buffer.concat([JPEG, Buffer.alloc(SELFIE_MAX_BYTES - JPEG.length)]);
  expect(takePicture(pictured(largest.toString('base64'))).picture).toHaveLength(SELFIE_MAX_BYTES);
});

it.each([
  ['no body', null],
  ['a text', 'images'],
  ['no images', { status: 'SUCCESS' }],
  ['an empty list', { images: [] }],
  ['something else in it', { images: [null] }],
  ['no text for data', pictured(5)],
  ['a page and no picture', pictured(Buffer.from('<script>alert(1)</script>').toString('base64'))],
  ['too much', pictured(Buffer.concat([JPEG, Buffer.alloc(SELFIE_MAX_BYTES)]).toString('base64'))],
])('leaves a body with %s unchanged', (_, body) => {
  expect(takePicture(body)).toEqual({ body, picture: null });
});

it('remembers a person only after a successful ENROLL', () => {
  const success = { status: 'SUCCESS', puid: 'p' };
  expect(enrolledPuid({ type: 'ENROLL' }, success)).toBe('p');
  expect(enrolledPuid({ type: 'SIGN-IN' }, success)).toBeUndefined();
  expect(enrolledPuid({ type: 'ENROLL' }, { ...success, status: 'FAILED' })).toBeUndefined();
  expect(enrolledPuid({}, success)).toBeUndefined();
  expect(enrolledPuid(null, null)).toBeUndefined();
});

it('keeps the latest twenty people, each once', () => {
  const people = createPeopleList();
  for (let nth = 0; nth < 21; nth += 1) people.add({ puid: `p${nth}`, at: nth, simulated: false });
  people.add({ puid: 'p1', at: 30, simulated: false });
  const puids = people.list().map(({ puid }) => puid);
  expect([puids.length, puids[0], puids[1], puids.at(-1)]).toEqual([20, 'p1', 'p20', 'p2']);
});
