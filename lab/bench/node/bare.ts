// The bare index without HTTP, database and sealing, for comparison with the service.
import type { Gallery } from '@limen/gallery';
import { createMatchThresholds } from '../../../apps/server/src/faces/models/match-threshold.ts';
import type { Faces } from '../gallery/data.ts';
import { quantile } from '../shared/figures.ts';
import { MODEL_VERSION, unitVector } from './fill.ts';

const PROBES = 200;
const SECONDS = 2;
const WARM_UP_MS = 500;
/** Faces per measurement of bare enrollments, generated in advance. */
const NEWCOMERS = 4_000;

export interface BareFigures {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
}

export interface Bare {
  searchAlone: BareFigures;
  searchAtOnce: BareFigures;
  /** A search and, without a match, an insert. */
  enrolAlone: BareFigures;
  enrolAtOnce: BareFigures;
}

export async function measureBare(gallery: Gallery, faces: Faces, size: number, atOnce: number): Promise<Bare> {
  const minSimilarity = createMatchThresholds().of(MODEL_VERSION, size);
  const probes = faces.probes(PROBES).map(unitVector);
  let [probe, key] = [0, size];
  const search = (vector: Float32Array) => gallery.search(vector, { k: 1, minSimilarity });
  const searchOne = async () => {
    await search(probes[probe++ % PROBES]!);
    return true;
  };
  /** New faces for each measurement, because a fast machine enrolls all of them. */
  const enrollFrom = (first: number) => {
    const newcomers = Array.from({ length: NEWCOMERS }, (_, i) => unitVector(faces.enrolled(first + i)));
    return async () => {
      const vector = newcomers.pop();
      if (!vector) return false;
      await search(vector);
      key += 1;
      gallery.insert(key, vector);
      return true;
    };
  };
  await repeat(searchOne, atOnce, WARM_UP_MS);
  return {
    searchAlone: await repeat(searchOne, 1, SECONDS * 1000),
    searchAtOnce: await repeat(searchOne, atOnce, SECONDS * 1000),
    enrolAlone: await repeat(enrollFrom(3 * size), 1, (SECONDS * 1000) / 2),
    enrolAtOnce: await repeat(enrollFrom(3 * size + NEWCOMERS), atOnce, (SECONDS * 1000) / 2),
  };
}

/** Until the time is up or `work` returns false. */
async function repeat(work: () => Promise<boolean>, atOnce: number, forMs: number): Promise<BareFigures> {
  const latencies: number[] = [];
  const start = performance.now();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (;;) {
        const before = performance.now();
        if (before - start > forMs || !(await work())) return;
        latencies.push(performance.now() - before);
      }
    }),
  );
  const perSecond = latencies.length / ((performance.now() - start) / 1000);
  return { perSecond, p50Ms: quantile(latencies, 0.5), p99Ms: quantile(latencies, 0.99) };
}
