// `npm run bench:gallery`: the exact face index compared with usearch, hnswlib-node and the memory
// bandwidth, in one run.
import { bytesPerVector, createGalleryEngine, type Gallery } from '@limen/gallery';
import { aim, median, milliseconds, printLine, readCpuMs } from '../shared/figures.ts';
import { readArguments } from '../shared/read-arguments.ts';
import { createFaces, DIMENSIONS, type Faces, isOfStranger } from './data.ts';
import { measureFloor } from './floor.ts';
import { buildPeer, loadPeers } from './peers.ts';
import { createExactness, createRecall, createTruth, type Truth } from './truth.ts';

const MILLION = 1_000_000;
const { values } = readArguments({
  name: 'bench:gallery',
  does: 'the exact face index against usearch, hnswlib-node and the speed of memory',
  takes: 'about two minutes',
  options: {
    million: { type: 'boolean', does: 'search a million vectors too' },
    patient: { type: 'boolean', does: 'build the peers at 100,000 vectors too, which takes minutes each' },
  },
});
const sizes = values.million ? [10_000, 100_000, MILLION] : [10_000, 100_000];
const isPatient = values.patient;
/** Concurrent searches for the throughput. */
const AT_ONCE = 8;
const CHUNK = 1000;
/** Match threshold of small galleries. Larger galleries have a higher one, which is faster. */
const THRESHOLD = 0.6;
/** Size at which peers are always built. */
const PEER_SIZE = 10_000;
/** Enough for a p99 that is not the maximum. */
const SEARCHES = 300;
const MAX_P50_MS = new Map([
  [100_000, 5],
  [MILLION, 60],
]);
const MAX_INSERT_MICROS = 50;
/** Multiple of the lower bound. */
const MAX_OF_FLOOR = 1.2;

const began = performance.now();
const peers = loadPeers();
const exactness = createExactness();
for (const size of sizes) await measure(size);
console.log(
  `\nLimen's answers that are the scan's in double precision, key by key: ${exactness.right} of ${exactness.all}, among them ${exactness.empty} for strangers at the threshold, who get no key at all: ${aim(exactness.isWhole, 'all')}`,
);
console.log(`the run took ${((performance.now() - began) / 1000).toFixed(0)} s`);
process.exitCode = exactness.isWhole ? 0 : 1;

async function measure(size: number): Promise<void> {
  const faces = createFaces(size);
  const probes = faces.probes(size === MILLION ? 20 : 100);
  const truth = createTruth(probes);
  console.log(`\n${size} vectors of ${DIMENSIONS} dimensions, ${probes.length} probes, every other with a mate`);
  const floor = await measureFloor(size * DIMENSIONS);
  console.log(
    `  memory-read floor: two threads read ${megabytes(size * DIMENSIONS)} MB, a byte a number, in ${milliseconds(floor)}`,
  );
  const engine = createGalleryEngine();
  const gallery = engine.createGallery(DIMENSIONS);
  build(gallery, size, faces, truth);
  await measureSearches(gallery, probes, truth, floor);
  await engine.close();
  gallery.drop();
  if (size !== MILLION) measurePeers(size, faces, probes, truth);
}

function build(gallery: Gallery, size: number, faces: Faces, truth: Truth): void {
  let ms = 0;
  let cpuMs = 0;
  for (let from = 0; from < size; from += CHUNK) {
    const vectors = Array.from({ length: CHUNK }, (_, at) => faces.enrolled(from + at));
    const start = performance.now();
    const cpuFrom = readCpuMs();
    for (const [at, vector] of vectors.entries()) gallery.insert(from + at, vector);
    cpuMs += readCpuMs() - cpuFrom;
    ms += performance.now() - start;
    for (const [at, vector] of vectors.entries()) truth.see(from + at, vector);
  }
  const micros = (cpuMs * 1000) / size;
  console.log(
    `  Limen: built in ${(ms / 1000).toFixed(2)} s, insert ${micros.toFixed(1)} µs of CPU (${aim(micros < MAX_INSERT_MICROS, `< ${MAX_INSERT_MICROS} µs`)})`,
  );
  console.log(
    `  ${bytesPerVector(DIMENSIONS)} bytes a vector, ${(gallery.bytes / size).toFixed(0)} with the room for growth`,
  );
}

async function measureSearches(gallery: Gallery, probes: Float32Array[], truth: Truth, floor: number): Promise<void> {
  const rounds = Math.max(1, Math.ceil(SEARCHES / probes.length / (gallery.size === MILLION ? 3 : 1)));
  for (const least of [-1, THRESHOLD])
    for (const k of [1, 10]) {
      const options = { k, minSimilarity: least };
      for (const probe of probes.slice(0, 20)) await gallery.search(probe, options); // warm-up
      const recall = createRecall();
      const times: number[] = [];
      const cpuFrom = readCpuMs();
      for (let round = 0; round < rounds; round += 1)
        for (const [at, probe] of probes.entries()) {
          const from = performance.now();
          const hits = await gallery.search(probe, options);
          times.push(performance.now() - from);
          const keys = hits.map(({ key }) => key);
          recall.count(truth.best(at, k, least), keys);
          exactness.count(truth.best(at, k, least), keys, least === THRESHOLD && isOfStranger(at));
        }
      const cpuMs = (readCpuMs() - cpuFrom) / times.length;
      const p50 = median(times);
      const most = MAX_P50_MS.get(gallery.size);
      const notes = [`${(p50 / floor).toFixed(2)} × floor`];
      if (most !== undefined) notes.push(aim(p50 < most, `< ${most} ms`));
      if (gallery.size === MILLION) notes.push(aim(p50 <= MAX_OF_FLOOR * floor, `≤ ${MAX_OF_FLOOR} × floor`));
      const name = `Limen top-${k}, ${least === -1 ? 'no threshold' : `threshold ${least}`}`;
      printLine({ name, times, cpuMs, recall: recall.share, note: notes.join(', ') });
    }
  await measureThroughput(gallery, probes);
}

async function measureThroughput(gallery: Gallery, probes: Float32Array[]): Promise<void> {
  const total = gallery.size === MILLION ? 100 : 600;
  let next = 0;
  const from = performance.now();
  const searchOn = async () => {
    while (next < total) {
      next += 1;
      await gallery.search(probes[next % probes.length]!, { k: 10, minSimilarity: THRESHOLD });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, searchOn));
  const perSecond = total / ((performance.now() - from) / 1000);
  console.log(`  Limen, ${AT_ONCE} searches at once, threshold ${THRESHOLD}: ${perSecond.toFixed(0)} a second`);
}

function measurePeers(size: number, faces: Faces, probes: Float32Array[], truth: Truth): void {
  if (size !== PEER_SIZE && !isPatient) {
    const names = peers.map(({ name }) => name).join(', ');
    console.log(`  ${names}: left out at ${size}, where they build for minutes; -- --patient takes them in`);
    return;
  }
  for (const peer of peers) {
    const { index, seconds, cpuSeconds } = buildPeer(peer, size, DIMENSIONS, faces.enrolled);
    const micros = (cpuSeconds * 1e6) / size;
    console.log(
      `  ${peer.name} (${peer.note}): built in ${seconds.toFixed(1)} s, insert ${micros.toFixed(0)} µs of CPU`,
    );
    console.log(`  ${(index.measureBytes() / size).toFixed(0)} bytes a vector as the library saves it, links included`);
    for (const k of [1, 10]) {
      for (const probe of probes) index.search(probe, k); // warm-up
      const recall = createRecall();
      const times: number[] = [];
      const cpuFrom = readCpuMs();
      while (times.length < SEARCHES)
        for (const [at, probe] of probes.entries()) {
          const from = performance.now();
          const keys = index.search(probe, k);
          times.push(performance.now() - from);
          recall.count(truth.best(at, k, -1), keys);
        }
      const cpuMs = (readCpuMs() - cpuFrom) / times.length;
      printLine({ name: `${peer.name} top-${k}, no threshold`, times, cpuMs, recall: recall.share });
    }
  }
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(0);
}
