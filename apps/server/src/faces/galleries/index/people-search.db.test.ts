// Search among people with one name, across several pages.
import { expect, it, onTestFinished } from 'vitest';
import { createTestDatabase } from '#testing/database/test-database.ts';
import { blendFaces, makeFace, makePicture } from '#testing/faces.ts';
import { liveOwner } from '#testing/owners.ts';
import { openPeopleProcess } from '#testing/processes/people-process.ts';
import { createPeopleSearch } from './people-search.ts';

const GALLERY = { owner: liveOwner('c'), modelVersion: 'FACE3_1' };
/** More than one page. */
const NAMESAKES = 205;

it('finds the right people among hundreds with one name, with a stricter threshold', async () => {
  const place = await createTestDatabase();
  onTestFinished(place.dispose);
  const { people, store, index } = await openPeopleProcess(place);
  const name = people.digestIdentifier(GALLERY.owner, 'A. Smith');
  const other = people.digestIdentifier(GALLERY.owner, 'B. Jones');
  // Every fiftieth namesake resembles face 0, each a little more than the one before.
  const likenessOf = (i: number) => 0.63 + 0.01 * Math.floor(i / 50);
  const vectorsOf = (i: number) =>
    i % 50 === 0 ? [0, 1].map((at) => blendFaces(0, i + 1, likenessOf(i) - 0.002 * at, 0)) : [makeFace(i + 1)];
  const enrollments = await Promise.all(
    Array.from({ length: NAMESAKES }, (_, i) =>
      people.enrol({ ...GALLERY, vectors: vectorsOf(i), identifierDigest: name }),
    ),
  );
  await people.enrol({ ...GALLERY, vectors: [blendFaces(0, 9_999, 0.68, 0)], identifierDigest: other });
  const alike = [200, 150, 100, 50, 0].map((i) => enrollments[i]!.puid);

  const gallery = (await store.findGallery(GALLERY.owner, GALLERY.modelVersion, 128))!;
  const find = async (vector: Float32Array, k: number, least: (people: number) => number, digest = name) => {
    const thresholds = { of: (_version: string, people: number) => least(people) };
    const found = await createPeopleSearch(store, index, thresholds).findNamed(gallery, vector, k, digest);
    return found.map(({ puid }) => puid);
  };
  const flat = () => 0.6;
  expect(await find(makePicture(203, 1), 3, flat)).toEqual([enrollments[202]!.puid]);
  expect(await find(makeFace(0), 100, flat)).toEqual(alike);
  expect(await find(makeFace(0), 2, flat)).toEqual(alike.slice(0, 2));
  expect(await find(makeFace(5_000), 100, flat)).toEqual([]);
  // The threshold follows all namesakes, not those of a page: between 0.64 and 0.65.
  const growing = (people: number) => 0.6 + people / 4_500;
  expect(await find(makeFace(0), 100, growing)).toEqual(alike.slice(0, 3));
  expect(await find(makeFace(0), 100, growing, other)).toHaveLength(1);
});
