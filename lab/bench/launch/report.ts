// Results of the launch benchmark as text, each with its target or peer.

import { renderColumns } from '../shared/columns.ts';
import { aim, median, milliseconds } from '../shared/figures.ts';
import type { Traffic } from './browser.ts';
import { type EngineFigures, sumStages } from './engine.ts';
import { type FirstPrompt, type FirstPrompts, LINK, READING_MS } from './first-prompt.ts';
import type { PeerFigures } from './peer.ts';
import type { Visit } from './visit.ts';

interface Round {
  cold: Visit;
  warm: Visit;
}

interface Pair {
  ours: EngineFigures;
  /** Null if not installed. */
  peer: PeerFigures | null;
}

const AIM_WELCOME_BYTES = 80_000;
const AIM_CHECK_BYTES = 11_000_000;
const AIM_FRAMES_PER_SECOND = 10;
const AIM_ANSWER_MS = 2_000;
const AIM_PROMPT_BYTES = 6_000_000;
const AIM_PROMPT_MS = { cold: 8_000, warm: 2_000 };
const MODELS = /\/launch\/models\//;
const RUNTIME = /\/(ort[.-]|kernel)/;

export function printPrompts(rounds: readonly FirstPrompts[]): void {
  const row = (name: string, visit: keyof FirstPrompts, limitMs?: number, limitBytes?: number) => {
    const middle = (figure: keyof FirstPrompt) => median(rounds.map((round) => round[visit][figure]));
    const [ms, bytes] = [middle('ms'), middle('bytes')];
    return [
      ...[name, megabytes(bytes), seconds(ms), seconds(middle('pressedMs')), seconds(middle('cameraMs'))],
      ...(limitBytes === undefined ? [] : [aim(bytes < limitBytes, `${limitBytes / 1_000_000} MB`)]),
      ...(limitMs === undefined ? [] : [aim(ms < limitMs, `${limitMs / 1_000} s`)]),
    ];
  };
  const speed = `${LINK.bytesPerSecond / 1_000_000} MB/s and ${LINK.delayMs} ms there and back`;
  print(`To the first prompt with the camera running, over ${speed}, medians of ${rounds.length}`, [
    ['', 'bytes', 'page opened', 'button pressed', 'of it the camera'],
    row('first visit', 'cold', AIM_PROMPT_MS.cold, AIM_PROMPT_BYTES),
    row('second visit', 'warm', AIM_PROMPT_MS.warm),
    row(`first visit, the first screen read for ${READING_MS / 1_000} s`, 'read'),
  ]);
}

export function printBytes(atWelcome: { brotli: Traffic; gzip: Traffic }, { cold, warm }: Round): void {
  const { brotli, gzip } = atWelcome;
  const check = cold.traffic.total() - brotli.total();
  print('Bytes that the browser received, with headers', [
    ['up to the first screen, gzip', kilobytes(gzip.total()), aim(gzip.total() < AIM_WELCOME_BYTES, '80 KB')],
    ['the same with Brotli, as served', kilobytes(brotli.total()), ''],
    ['from there to the end of an age check', megabytes(check), aim(check < AIM_CHECK_BYTES, '11 MB')],
    ['  of it the runtime', megabytes(cold.traffic.of(RUNTIME)), ''],
    ['  of it the models', megabytes(cold.traffic.of(MODELS)), ''],
    [
      'all of a second check',
      kilobytes(warm.traffic.total()),
      'of it runtime and models '.concat(kilobytes(warm.traffic.of(MODELS) + warm.traffic.of(RUNTIME))),
    ],
  ]);
}

export function printVisits(rounds: readonly Round[]): void {
  const row = (name: string, read: (visit: Visit) => number, limitMs?: number) => {
    const [cold, warm] = [
      median(rounds.map((round) => read(round.cold))),
      median(rounds.map((round) => read(round.warm))),
    ];
    const reached = limitMs === undefined ? '' : aim(Math.max(cold, warm) < limitMs, `${limitMs / 1000} s`);
    return [name, seconds(cold), seconds(warm), reached];
  };
  const visits = rounds.flatMap(({ cold, warm }) => [cold, warm]);
  const rate = median(visits.map(({ framesPerSecond }) => framesPerSecond));
  const watch = median(visits.flatMap(({ watchMs }) => watchMs));
  print(`Times of a person who follows at once, medians of ${rounds.length}`, [
    ['', 'first visit', 'second', ''],
    row('page opened, first screen can be used', ({ welcomeMs }) => welcomeMs),
    row('start pressed, camera and models ready', ({ readyMs }) => readyMs),
    row('start pressed, check over', ({ checkMs }) => checkMs),
    row('face step over, answer taken', ({ answerMs }) => answerMs, AIM_ANSWER_MS),
    row('  of it the examination', ({ examineMs }) => examineMs),
  ]);
  console.log(
    `  guidance: ${rate.toFixed(1)} frames/s; ${aim(rate >= AIM_FRAMES_PER_SECOND, `${AIM_FRAMES_PER_SECOND} frames/s`)}; ` +
      `${milliseconds(watch)} for a frame, there and back. The test camera gives at most 15,\n` +
      '  and draws them on the same cores, which a real one does not.\n',
  );
}

export function printStages(single: EngineFigures, threaded: EngineFigures): void {
  const rows = single.stages.map(([role, ms, runs], i) => [
    ...[role, `${Math.round(runs)} ×`, milliseconds(ms), milliseconds(threaded.stages[i]![1])],
  ]);
  const row = (name: string, read: (figures: EngineFigures) => number) => [
    ...[name, '', milliseconds(read(single)), milliseconds(read(threaded))],
  ];
  print('Models, milliseconds of one run', [
    ['', 'a frame', threadsOf(single), threadsOf(threaded)],
    ...rows,
    row('a frame of guidance, there and back', ({ watchMs }) => median(watchMs)),
    row('five frames examined for the age', ({ examineFiveMs }) => median(examineFiveMs)),
  ]);
}

export function printPeer({ threaded, single, ourBytes }: { threaded: Pair; single: Pair; ourBytes: number }): void {
  if (!threaded.peer || !single.peer) {
    console.log('The peer @vladmandic/human is not installed and is left out: npm ci --prefix lab/bench/peers');
    return;
  }
  const row = (name: string, ours: number, peer: number, show: (value: number) => string) => [
    ...[name, show(ours), show(peer), `${(ours / peer).toFixed(2)} times`],
  ];
  const rows = [threaded, single].flatMap(({ ours, peer }) => {
    const threads = `ours ${threadsOf(ours)}, its ${peer!.threads}`;
    return [
      row(`guidance (${threads})`, median(ours.watchMs), median(peer!.watchMs), milliseconds),
      row(
        '  with age and embedding',
        median(ours.wholeMs) - sumOnly(ours, 'liveness'),
        median(peer!.wholeMs),
        milliseconds,
      ),
    ];
  });
  print('Beside @vladmandic/human, the same picture, nothing kept from frame to frame', [
    ['', 'ours', 'peer', 'ours ÷ peer'],
    row('bytes for all of it', ourBytes, threaded.peer.bytes, megabytes),
    row('page opened, first age and embedding', threaded.ours.firstMs, threaded.peer.firstMs, seconds),
    ...rows,
  ]);
  console.log(
    '  Ours: detection, 68 landmarks and both eyes; the age by two models, each on the face and its mirror image;\n' +
      '  an embedding of its own model; without the passive score, which is taken off. Its: detection and a mesh of\n' +
      '  468 points; age, sex and embedding by one model on one picture. Our bytes hold the passive score’s model too.',
  );
}

function sumOnly(figures: EngineFigures, role: string): number {
  return sumStages(
    figures,
    figures.stages.map(([one]) => one).filter((one) => one !== role),
  );
}

function print(heading: string, rows: string[][]): void {
  console.log(`${heading}\n${renderColumns(rows).replaceAll(/^/gm, '  ')}\n`);
}

function threadsOf({ threads }: { threads: number }): string {
  return threads === 1 ? '1 thread' : `${threads} threads`;
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} KB`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(2)} MB`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}
