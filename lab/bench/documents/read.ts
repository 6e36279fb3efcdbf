// Reads a document over several camera frames with the page's reader, and records the times.
import { type CopySign, type DocumentProblem, type PartialDate, parseZone, type Recognize } from '@limen/documents';
import type { Camera } from '@limen/documents/testing/distort/index.ts';
import { startBarcodeReader } from '@limen/documents/testing/read-barcode.ts';
import { createDocumentReader } from '../../../apps/launch/src/document/create-reader.ts';
import type { DocumentKind } from '../../../apps/launch/src/document/kinds.ts';
import { createBarcodeReader, createZoneReader } from '../../../apps/launch/src/document/read-code.ts';
import { DOCUMENT_TOOLS } from '../../../apps/launch/src/document/tools.ts';
import { createFrame, type FaceModels } from '../../../apps/launch/src/face/index.ts';

/** Specimens are issued from 2023 to 2025 for ten years. */
export const TODAY = '2026-06-15';
/** CPU time of the reader: the time a page has before people think it is broken. */
const MOST_MS = 3000;
/** Frames arrive ten per second, and reading takes about two of them. */
const FRAMES_APART = 2;

export interface Reading {
  /** `wrong`: a date of birth that is not on the document. `refused`: a problem. */
  state: 'right' | 'wrong' | 'refused' | 'undecided';
  problem: DocumentProblem | null;
  signs: CopySign[];
  milliseconds: number;
  frames: number;
  /** Time of the recognizer. */
  runs: number;
  runMilliseconds: number;
  /** Time of the copy detection. */
  signMilliseconds: number;
  /** First frame alone, its text as read if all check digits match. Null for barcodes. */
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
      const recognize: Recognize = async (values, shape) => {
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
        kind === 'licence' ? createBarcodeReader(tools, readBarcode, TODAY) : createZoneReader(tools, recognize, TODAY);
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
        // A decision after the timeout is too late but must not be wrong either.
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
