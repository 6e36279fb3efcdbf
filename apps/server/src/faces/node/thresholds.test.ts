// The default threshold through the whole service separates people and joins pictures of one.

import { onlyWhenLong } from '@limen/testing/rounds.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newCustomer } from '#testing/faces/node-client.ts';
import { faceOf, pictureOf, WRITINGS } from '#testing/faces/node-faces.ts';
import { startTestApp, type TestApp } from '#testing/test-app.ts';

const PEOPLE = onlyWhenLong(2_000, 12);

let app: TestApp;
let dispose: () => Promise<void>;

beforeAll(async () => {
  const environment = { SERVE: 'node', NODE_RATE_BURST: '1000000' };
  app = await startTestApp({ environment, atEnd: (end) => (dispose = end) });
});
afterAll(() => dispose());

it.each(WRITINGS)('separates people with $name vectors', async ({ write }) => {
  const customer = await newCustomer(app);
  const faces = Array.from({ length: PEOPLE }, (_, person) => write(faceOf(person, { seed: 3 })));
  const puids: string[] = [];
  for (const face of faces) {
    const reply = (await customer.plainEnroll(face)).json();
    expect(reply.message).toBe('Ok');
    puids.push(reply.puid);
  }
  for (const [person, face] of faces.entries()) {
    const picture = pictureOf(face, 0.5, person + 1);
    expect((await customer.plainPredict(picture)).json()).toMatchObject({ status: 0, puid: puids[person] });
    // No one else comes close.
    expect((await customer.plainPredict(picture, { body: { K: 100 } })).json().PI_list).toHaveLength(1);
    expect((await customer.plainPredict(write(faceOf(person, { seed: 4 })))).json()).toMatchObject({ status: -1 });
  }
  const again = (await customer.plainEnroll(pictureOf(faces[0]!, 0.5, 99))).json();
  expect(again).toMatchObject({ message: 'User Already Enrolled', puid: puids[0] });
});
