// Reads one document over the frames of a camera, with the page's own reader, and keeps what it took.
import { type CopySign, type DocumentProblem, type PartialDate, parseZone, type Recognise } from '@limen/documents';
import type { Camera } from '@limen/documents/testing/distort/index.ts';
import { startBarcodeReader } from '@limen/documents/testing/read-barcode.ts';
import { createDocumentReader } from '../../../apps/launch/src/document/create-reader.ts';
import type { DocumentKind } from '../../../apps/launch/src/document/kinds.ts';
import { createBarcodeReader, createZoneReader } from '../../../apps/launch/src/document/read-code.ts';
import { DOCUMENT_TOOLS } from '../../../apps/launch/src/document/tools.ts';
import { createFrame, type FaceModels } from '../../../apps/launch/src/face/index.ts';

/** Specimens are issued from 2023 to 2025 for ten years. */
export const TODAY = '2026-06-15';
/** Processor time of the thread that reads: what a page has before people think that it does not work. */
const MOST_MS = 3000;
/** Frames come ten a second, and one takes about two of them. */
const FRAMES_APART = 2;

export interface Reading {
  /** `wrong` is a date of birth that the document does not have; `refused` a problem, of which there is none or the one. */
  state: 'right' | 'wrong' | 'refused' | 'undecided';
  problem: DocumentProblem | null;
  signs: CopySign[];
  milliseconds: number;
  frames: number;
  /** The recogniser's part of it. */
  runs: number;
  runMilliseconds: number;
  /** What looking for signs of copies took of it. */
  signMilliseconds: number;
  /** Of the first frame alone, its text taken as it is where all check digits hold. Null: a barcode. */
  alone: 'right' | 'wrong' | 'undecided' | null;
}

export interface Readers {
  read(camera: Camera, kind: DocumentKind, birth: string): Promise<Reading>;
}

export function createReaders(models: FaceModels): Readers {
  const readBarcode = startBarcodeReader();
  return {
    async read(camera, kind, birth) {
      let [runs, runMilliseconds, signMilliseconds] = [0, 0, 0];
      let first: readonly string[] | undefined;
      const recognise: Recognise = async (values, shape) => {
        const from = threadMilliseconds();
        const [logits] = Object.values(await models.run('document_text', values, shape));
        runs += 1;
        runMilliseconds += threadMilliseconds() - from;
        return logits!;
      };
      const readZone: typeof DOCUMENT_TOOLS.readZone = async (image, run) => {
        const sighting = await DOCUMENT_TOOLS.readZone(image, run);
        first ??= sighting.reading?.lines.map(({ text }) => text) ?? [];
        return sighting;
      };
      const findCopySigns: typeof DOCUMENT_TOOLS.findCopySigns = (picture, corners) => {
        const from = threadMilliseconds();
        const signs = DOCUMENT_TOOLS.findCopySigns(picture, corners);
        signMilliseconds += threadMilliseconds() - from;
        return signs;
      };
      const tools = { ...DOCUMENT_TOOLS, readZone, findCopySigns };
      const code =
        kind === 'licence' ? createBarcodeReader(tools, readBarcode, TODAY) : createZoneReader(tools, recognise, TODAY);
      const reader = createDocumentReader(
        { kind, wantsPortrait: false, today: TODAY },
        { tools, code, findPortrait: () => Promise.resolve(null) },
      );
      let [milliseconds, frames] = [0, 0];
      const describe = (state: Reading['state'], problem: DocumentProblem | null = null, signs: CopySign[] = []) => ({
        state,
        problem,
        signs,
        milliseconds,
        frames,
        runs,
        runMilliseconds,
        signMilliseconds,
        alone: kind === 'licence' ? null : judgeAlone(first ?? [], birth),
      });
      while (milliseconds < MOST_MS) {
        const { width, height, data } = camera.shoot(frames * FRAMES_APART);
        frames += 1;
        const from = threadMilliseconds();
        const { outcome } = await reader.look(createFrame(width, height, data));
        milliseconds += threadMilliseconds() - from;
        if (!outcome) continue;
        if ('problem' in outcome) return describe('refused', outcome.problem);
        // What is said after the time is over is said too late, but it must not be wrong either.
        const isRight = writeDate(code.facts()?.birth) === birth;
        return describe(!isRight ? 'wrong' : milliseconds > MOST_MS ? 'undecided' : 'right', null, outcome.signs);
      }
      return describe('undecided');
    },
  };
}

function judgeAlone(lines: readonly string[], birth: string): Reading['alone'] {
  const zone = parseZone(lines, TODAY);
  if ('refused' in zone || !zone.birth) return 'undecided';
  return writeDate(zone.birth) === birth ? 'right' : 'wrong';
}

function writeDate(date: PartialDate | null | undefined): string {
  if (!date) return '';
  const { year, month, day } = date;
  return [year, month, day].flatMap((part) => (part === undefined ? [] : String(part).padStart(2, '0'))).join('-');
}

function threadMilliseconds(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
