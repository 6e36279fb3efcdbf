// Reads a folder's portraits with the shipped models, as the page reads camera frames.
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Frame } from '@limen/face-geometry';
import { AGE_BOUND, type AgeBound } from '@limen/plan';
import { parse } from 'csv-parse/sync';
import {
  type Examination,
  examineFrame,
  type FrameReport,
  watchFrame,
} from '../../../apps/launch/src/face/read/estimate.ts';
import type { FaceModels } from '../../../apps/launch/src/face/read/models.ts';
import { readPicture } from '../../../apps/launch/testing/pictures.ts';

export interface Portrait {
  /** File name without extension. */
  name: string;
  /** Name up to its last hyphen: `ID-a` and `ID-b` are one person. */
  person: string;
  frame: Frame;
  report: FrameReport;
  /** Null if no face was found. */
  examination: Examination | null;
}

/** Supported picture formats. */
const ENDING = /\.jpe?g$/i;

/** Name as used in files of known ages and of glasses. */
export function portraitName(file: string): string {
  return file.replace(ENDING, '');
}

export async function listPortraits(folder: string): Promise<string[]> {
  if (!existsSync(folder)) return [];
  return (await readdir(folder)).filter((file) => ENDING.test(file)).toSorted();
}

export async function readPortrait(
  models: FaceModels,
  folder: string,
  file: string,
  ageBound: AgeBound = AGE_BOUND,
): Promise<Portrait> {
  const name = portraitName(file);
  const frame = await readPicture(join(folder, file));
  const report = await watchFrame(models, frame);
  const { face } = report;
  const examination = face && (await examineFrame(models, frame, face, { age: true, ageBound, embedding: true }));
  return { name, person: name.replace(/-[^-]*$/, ''), frame, report, examination };
}

/** Lines of `name,birth,photo`: file name, birth date or year, and year of the photo. */
export function readKnownAges(text: string): Map<string, number> {
  const ages = new Map<string, number>();
  const rows: string[][] = parse(text, { bom: true, trim: true, skip_empty_lines: true, relax_column_count: true });
  for (const [name = '', birth = '', photo = ''] of rows) {
    const age = Number.parseInt(photo, 10) - Number.parseInt(birth, 10);
    // A heading, or a photo of unknown year.
    if (age >= 0 && age < 120) ages.set(portraitName(name), age);
  }
  return ages;
}

/** One name per line. */
export function readNames(text: string): Set<string> {
  return new Set(text.split(/\s+/).filter(Boolean).map(portraitName));
}
