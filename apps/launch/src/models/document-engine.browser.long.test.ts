// Reads rendered documents in a real Chromium, in the worker and under the strict policy.

import { rm } from 'node:fs/promises';
import { photograph } from '@limen/documents/testing/distort/index.ts';
import { findZoneFont } from '@limen/documents/testing/font/index.ts';
import { drawPerson, drawSpecimen } from '@limen/documents/testing/specimens/index.ts';
import { resizeAround } from '@limen/face-geometry';
import type { DocumentLight } from '@limen/light';
import { encode } from 'jpeg-js';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { chromiumPath, launchBrowser } from '../../../server/testing/browser.ts';
import { buildEnginePage, serveEnginePage } from '../../testing/engine-page.ts';
import { openModels } from '../../testing/models.ts';
import { cutOut, readSample } from '../../testing/pictures.ts';
import type { DocumentFound, DocumentReport } from '../document/kinds.ts';
import { compareEmbeddings, type FaceModels, readPortrait } from '../face/index.ts';
import { detectFaces } from '../face/read/detect.ts';

const TODAY = '2026-03-01';
const PERSON = drawPerson(7);
const SHOTS = 3;

interface Seen {
  passport: DocumentReport[];
  licence: DocumentReport[];
  file: DocumentReport;
  unbegun: string;
  lit: DocumentLight;
  unlit: DocumentLight;
  /** Whether a frame with something else is accepted. */
  other: boolean;
}

/** Runs on the page as text, so it must not be compiled here. */
const programFor = (manifestHash: string) => `(async () => {
  const engine = createFaceEngine();
  await engine.load({ roles: ['document_text', 'detect', 'landmarks', 'embedding'], manifestHash: '${manifestHash}' });
  await engine.openLight();
  const open = async (name) => createImageBitmap(await (await fetch('/shots/' + name)).blob());
  const read = async (wish, names) => {
    const reports = [];
    await engine.beginDocument({ today: '${TODAY}', ...wish });
    for (const name of names) {
      const report = await engine.lookAtDocument(await open(name));
      reports.push(report);
      if (report.outcome) break;
    }
    return reports;
  };
  const unbegun = await engine.lookAtDocument(await open('licence_us-0.jpg')).catch((error) => error.message);
  const passport = await read({ kind: 'passport', wantsPortrait: true }, Array.from({ length: ${SHOTS} }, (_, i) => 'passport-' + i + '.jpg'));
  const license = await read({ kind: 'licence', wantsPortrait: false }, ['licence_us-0.jpg']);
  const colors = { red: [1, 0, 0], cyan: [0, 1, 1], blue: [0, 0, 1], yellow: [1, 1, 0], green: [0, 1, 0], magenta: [1, 0, 1] };
  const shown = Object.keys(colors).map((color, i) => ({ color, at: 1000 + i * 450 }));
  // Renders the screen's light at the given strength relative to the room's, or none.
  const light = async (strength) => {
    const picture = await open('licence_us-0.jpg');
    const canvas = new OffscreenCanvas(picture.width, picture.height);
    const onto = canvas.getContext('2d');
    for (const { color, at } of shown)
      for (const later of [100, 200, 300]) {
        onto.globalCompositeOperation = 'copy';
        onto.drawImage(picture, 0, 0);
        onto.globalCompositeOperation = 'multiply';
        const levels = colors[color].map((on) => 255 * ((1 + strength * (on || 0.13)) / (1 + strength)) ** (1 / 2.2));
        onto.fillStyle = 'rgb(' + levels.join(' ') + ')';
        onto.fillRect(0, 0, canvas.width, canvas.height);
        if (!(await engine.lightDocument(canvas.transferToImageBitmap(), at + later))) throw new Error('Not known again');
      }
    return engine.judgeDocumentLight(shown, 0.1);
  };
  const lit = await light(1);
  await engine.lookAtDocument(await open('licence_us-0.jpg'));
  const unlit = await light(0);
  const other = await engine.lightDocument(await open('passport-0.jpg'), 1);
  await engine.beginDocument({ today: '${TODAY}', kind: 'passport', wantsPortrait: true });
  const file = await engine.readDocumentFile(await open('passport-0.jpg'));
  engine.forget();
  engine.close();
  const plain = (value) => JSON.parse(JSON.stringify(value, (_, v) => ArrayBuffer.isView(v) ? Array.from(v) : v));
  return plain({ passport, license, file, unbegun, lit, unlit, other });
})()`;

describe.skipIf(!chromiumPath || !findZoneFont())('in Chromium', () => {
  let folder: string;
  let models: FaceModels;
  let live: Float32Array;
  const shots = new Map<string, Buffer>();

  beforeAll(async () => {
    folder = await buildEnginePage();
    models = await openModels(['detect', 'landmarks', 'embedding']);
    const group = await readSample(1);
    const { box } = (await detectFaces(models, group))[0]!;
    live = (await readPortrait(models, group, ({ x }) => Math.abs(x - box.x) < 3))!.vector;
    const portrait = cutOut(group, resizeAround(box, box.height * 1.9), 300, 390);
    for (const kind of ['passport', 'licence_us'] as const) {
      const { sides, millimetres: millimeters } = await drawSpecimen({ kind, person: PERSON, portrait, seed: 3 });
      const side = (sides.zone ?? sides.barcode)!;
      for (let i = 0; i < (kind === 'passport' ? SHOTS : 1); i += 1) {
        const shot = photograph(side, 'clean', { width: 1920, height: 1080, seed: 100 + i, millimetres: millimeters });
        const jpeg = encode({ ...shot, data: Buffer.from(shot.data) }, 90);
        shots.set(`${kind}-${i}.jpg`, jpeg.data);
      }
    }
  }, 120_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('reads a passport, a license and a file, and reports only the requested data', async () => {
    const served = await serveEnginePage(folder);
    onTestFinished(() => served.close());
    const page = await (await launchBrowser()).newPage();
    await page.route('**/shots/*', (route) => {
      const name = new URL(route.request().url()).pathname.split('/').at(-1)!;
      return route.fulfill({ body: shots.get(name)!, contentType: 'image/jpeg' });
    });
    await page.goto(served.url);
    const seen = await page.evaluate<Seen>(programFor(served.manifestHash));
    const { passport, licence: license, file, unbegun, lit, unlit, other } = seen;

    const [year, month, day] = PERSON.birth.split('-').map(Number) as [number, number, number];
    const age = 2026 - year - (month > 3 || (month === 3 && day > 1) ? 1 : 0);
    expect(passport.at(-1)?.outcome).toEqual({
      type: 'passport',
      country: expect.any(String),
      age,
      signs: [],
      embedding: expect.any(Array),
    });
    const { embedding } = passport.at(-1)!.outcome as DocumentFound;
    expect(compareEmbeddings(Float32Array.from(embedding!), live)).toBeGreaterThan(0.6);
    expect(license.at(-1)?.outcome).toEqual({
      type: 'driving_licence',
      country: 'USA',
      age,
      signs: [],
      embedding: null,
    });
    expect(file.outcome).toMatchObject({ type: 'passport', age });
    expect(unbegun).toBe('No document was begun');
    expect({ lit, unlit, other }).toEqual({ lit: 'reflects', unlit: 'shines', other: false });
    // No name and no number.
    const reports = JSON.stringify({ passport, licence: license, file }).toUpperCase();
    for (const word of PERSON.surname.split(/\W+/)) expect(reports).not.toContain(word.toUpperCase());

    expect(served.violations).toEqual([]);
    expect(served.asked.filter((path) => path.includes('zxing'))).toHaveLength(1);
  }, 120_000);
});
