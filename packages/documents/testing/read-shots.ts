// Reads a simulated document over several frames until the vote decides, and checks the result.
import { type DocumentProblem, judgeDocument } from '../src/facts.ts';
import { toGray } from '../src/image/gray.ts';
import type { Recognize } from '../src/zone/read-line.ts';
import { readZone } from '../src/zone/read-zone.ts';
import { createZoneVote } from '../src/zone/vote.ts';
import type { Camera } from './distort/index.ts';

export type ShotResult = 'right' | 'wrong date' | 'not read' | DocumentProblem;

export interface ShotWish {
  /** Printed date, YYYY-MM-DD. */
  birth: string;
  today: string;
  mostFrames: number;
}

export async function readShots(camera: Camera, recognize: Recognize, wish: ShotWish): Promise<ShotResult> {
  const { birth, today, mostFrames } = wish;
  const vote = createZoneVote(today);
  for (let frame = 0; frame < mostFrames; frame += 1) {
    // Ten frames a second, of which reading takes about two.
    const { reading } = await readZone(toGray(camera.shoot(frame * 2)), recognize);
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
