// Reads a drawn document over the frames of a drawn camera until the vote decides, and says whether it was right.
import { type DocumentProblem, judgeDocument } from '../src/facts.ts';
import { toGray } from '../src/image/gray.ts';
import type { Recognise } from '../src/zone/read-line.ts';
import { readZone } from '../src/zone/read-zone.ts';
import { createZoneVote } from '../src/zone/vote.ts';
import type { Camera } from './distort/index.ts';

export type ShotResult = 'right' | 'wrong date' | 'not read' | DocumentProblem;

export interface ShotWish {
  /** YYYY-MM-DD, as printed. */
  birth: string;
  today: string;
  mostFrames: number;
}

export async function readShots(camera: Camera, recognise: Recognise, wish: ShotWish): Promise<ShotResult> {
  const { birth, today, mostFrames } = wish;
  const vote = createZoneVote(today);
  for (let frame = 0; frame < mostFrames; frame += 1) {
    // Frames come ten a second, and one takes about two of them.
    const { reading } = await readZone(toGray(camera.shoot(frame * 2)), recognise);
    if (reading) vote.add(reading);
    const outcome = vote.result();
    if (outcome.state === 'inconsistent') return 'check_digit';
    if (outcome.state === 'undecided') continue;
    const facts = judgeDocument(outcome.zone, today);
    if (typeof facts === 'string') return facts;
    const { year, month = 0, day = 0 } = facts.birth;
    const read = [year, month, day].map((part) => String(part).padStart(2, '0')).join('-');
    return read === birth ? 'right' : 'wrong date';
  }
  return 'not read';
}
