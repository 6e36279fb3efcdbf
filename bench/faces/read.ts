// Reads the portraits of a folder with the shipped models, as the page would read frames of a camera.
import { existsSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import type { Frame } from '../../apps/launch/src/face/maths/image.ts';
import {
  type Examination,
  examineFrame,
  type FrameReport,
  watchFrame,
} from '../../apps/launch/src/face/read/estimate.ts';
import type { FaceModels } from '../../apps/launch/src/face/read/models.ts';
import { readPicture } from '../../apps/launch/testing/pictures.ts';
import type { KnownPerson } from './age-rule.ts';

export interface Portrait {
  /** The file without its ending. */
  name: string;
  /** The name up to its last hyphen: `ID-a` and `ID-b` are one person. */
  person: string;
  frame: Frame;
  report: FrameReport;
  /** Null where no face was found. */
  examination: Examination | null;
}

export async function listPortraits(folder: string): Promise<string[]> {
  if (!existsSync(folder)) return [];
  return (await readdir(folder)).filter((file) => file.endsWith('.jpg')).toSorted();
}

export async function readPortrait(models: FaceModels, folder: string, file: string): Promise<Portrait> {
  const name = file.slice(0, -'.jpg'.length);
  const frame = await readPicture(join(folder, file));
  const report = await watchFrame(models, frame);
  const { face } = report;
  const examination = face && (await examineFrame(models, frame, face, { age: true, embedding: true }));
  return { name, person: name.replace(/-[^-]*$/, ''), frame, report, examination };
}

/** Lines of `name,birth,photo`: the file without its ending, a birth date or year, and the year of the photo. */
export function readKnownAges(path: string): Map<string, number> {
  const ages = new Map<string, number>();
  const rows: string[][] = parse(readFileSync(path), { trim: true, skip_empty_lines: true, relax_column_count: true });
  for (const [name = '', birth = '', photo = ''] of rows) {
    const age = Number.parseInt(photo, 10) - Number.parseInt(birth, 10);
    // A heading, or a photo of no known year.
    if (age >= 0 && age < 120) ages.set(name, age);
  }
  return ages;
}

/** Lines of `name,age` or `name,age,sex`: the file without its ending, whole years, and any word. */
export function readKnownPeople(path: string): Map<string, KnownPerson> {
  const people = new Map<string, KnownPerson>();
  const rows: string[][] = parse(readFileSync(path), { trim: true, skip_empty_lines: true, relax_column_count: true });
  for (const [name = '', years = '', sex = ''] of rows) {
    const age = Number(years);
    // A heading, or somebody of no known age.
    if (years !== '' && age >= 0 && age < 120) people.set(name, { age, sex });
  }
  return people;
}

/** One name a line. */
export function readNames(path: string): Set<string> {
  return new Set(readFileSync(path, 'utf8').split(/\s+/).filter(Boolean));
}
