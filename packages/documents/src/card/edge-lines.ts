// Long straight edges by the Hough transform: each edge pixel votes for lines in its direction.
import type { Gradient } from '../image/gradient.ts';

/** v = at + slope * u; u is x if horizontal. `brighter`: sign of the change along v. */
export interface EdgeLine {
  readonly at: number;
  readonly slope: number;
  readonly brighter: 1 | -1;
  /** Prefix sums: number of positions up to u with an edge on the line, with one extra entry. */
  readonly support: Int32Array;
}

/** Degrees. A steeper document has to be held straight, or has the other orientation. */
const STEEPEST = 32;
/** Uncertainty of a single pixel's direction. */
const DOUBT = 4;
const LINES_A_SIGN = 7;
/** Distance in pixels within which an edge belongs to a line. */
const REACH = 1.6;
/** Share of the picture's side. Shorter edges are no side of a document. */
const LEAST_SUPPORT = 0.12;

/** Finds up to seven lines per sign. `weakest`: minimum change of an edge. */
export function findEdgeLines(gradient: Gradient, standing: boolean, weakest: number): EdgeLine[] {
  const edges = collectEdges(gradient, standing, weakest);
  return [...findSignedLines(edges, 1), ...findSignedLines(edges, -1)];
}

interface Edges {
  readonly length: number;
  readonly depth: number;
  readonly count: number;
  readonly u: Int16Array;
  readonly v: Int16Array;
  /** Degrees of the edge's line. */
  readonly angle: Float32Array;
  readonly sign: Int8Array;
}

function collectEdges(gradient: Gradient, standing: boolean, weakest: number): Edges {
  const { width, height } = gradient;
  const [along, away] = standing ? [gradient.down, gradient.across] : [gradient.across, gradient.down];
  const steepest = Math.tan(((STEEPEST + DOUBT) * Math.PI) / 180);
  const most = width * height;
  const edges = {
    length: standing ? height : width,
    depth: standing ? width : height,
    u: new Int16Array(most),
    v: new Int16Array(most),
    angle: new Float32Array(most),
    sign: new Int8Array(most),
  };
  let count = 0;
  for (let y = 1; y < height - 1; y += 1) {
    for (let x = 1; x < width - 1; x += 1) {
      const i = y * width + x;
      const a = along[i]!;
      const b = away[i]!;
      const size = b < 0 ? -b : b;
      if (size < weakest || (a < 0 ? -a : a) > size * steepest) continue;
      edges.u[count] = standing ? y : x;
      edges.v[count] = standing ? x : y;
      edges.angle[count] = (Math.atan(-a / b) * 180) / Math.PI;
      edges.sign[count] = b > 0 ? 1 : -1;
      count += 1;
    }
  }
  return { ...edges, count };
}

function findSignedLines(edges: Edges, sign: 1 | -1): EdgeLine[] {
  const { length, depth, count, u, v, angle } = edges;
  const angles = STEEPEST * 2 + 1;
  const margin = Math.ceil((length / 2) * Math.tan((STEEPEST * Math.PI) / 180));
  const places = depth + margin * 2;
  const votes = new Int32Array(angles * places);
  const slopes = Float32Array.from({ length: angles }, (_, i) => Math.tan(((i - STEEPEST) * Math.PI) / 180));
  for (let i = 0; i < count; i += 1) {
    if (edges.sign[i] !== sign) continue;
    const own = Math.round(angle[i]!) + STEEPEST;
    for (let k = Math.max(0, own - DOUBT); k <= Math.min(angles - 1, own + DOUBT); k += 1) {
      const at = Math.round(v[i]! - slopes[k]! * (u[i]! - length / 2)) + margin;
      if (at >= 0 && at < places) votes[k * places + at] = votes[k * places + at]! + 1;
    }
  }
  const lines: EdgeLine[] = [];
  // Neighboring peaks are the same line, so more are examined than kept.
  for (let tries = 0; tries < LINES_A_SIGN * 3 && lines.length < LINES_A_SIGN; tries += 1) {
    const peak = takePeak(votes, angles, places);
    if (peak.votes < length * LEAST_SUPPORT) break;
    const slope = slopes[peak.angle]!;
    const line = fitEdges(edges, sign, peak.place - margin - (slope * length) / 2, slope);
    if (line === null || line.support[length]! < length * LEAST_SUPPORT) continue;
    if (!lines.some((other) => isSame(line, other, length))) lines.push(line);
  }
  return lines;
}

function takePeak(votes: Int32Array, angles: number, places: number): { votes: number; angle: number; place: number } {
  let best = 0;
  for (let i = 1; i < votes.length; i += 1) if (votes[i]! > votes[best]!) best = i;
  const [angle, place] = [Math.floor(best / places), best % places];
  const peak = { votes: votes[best]!, angle, place };
  for (let k = Math.max(0, angle - 5); k <= Math.min(angles - 1, angle + 5); k += 1) {
    votes.fill(0, k * places + Math.max(0, place - 4), k * places + Math.min(places, place + 5));
  }
  return peak;
}

/** Fits by least squares to the nearby edges, repeatedly. */
function fitEdges(edges: Edges, sign: 1 | -1, at: number, slope: number): EdgeLine | null {
  const { count, u, v, angle } = edges;
  let line = { at, slope };
  for (const reach of [2.5, REACH]) {
    const degrees = (Math.atan(line.slope) * 180) / Math.PI;
    let [n, sumU, sumV, sumUU, sumUV] = [0, 0, 0, 0, 0];
    for (let i = 0; i < count; i += 1) {
      if (edges.sign[i] !== sign || Math.abs(v[i]! - line.at - line.slope * u[i]!) > reach) continue;
      if (Math.abs(angle[i]! - degrees) > DOUBT * 3) continue;
      n += 1;
      sumU += u[i]!;
      sumV += v[i]!;
      sumUU += u[i]! * u[i]!;
      sumUV += u[i]! * v[i]!;
    }
    const spread = n * sumUU - sumU * sumU;
    if (spread <= 0) return null;
    const better = (n * sumUV - sumU * sumV) / spread;
    line = { at: (sumV - better * sumU) / n, slope: better };
  }
  return { ...line, brighter: sign, support: countSupport(edges, line) };
}

/** Counts edges of either sign, because a colored heading reverses the sign. */
function countSupport(edges: Edges, line: { at: number; slope: number }): Int32Array {
  const { length, count, u, v, angle } = edges;
  const degrees = (Math.atan(line.slope) * 180) / Math.PI;
  const support = new Int32Array(length + 1);
  for (let i = 0; i < count; i += 1) {
    if (Math.abs(v[i]! - line.at - line.slope * u[i]!) > REACH || Math.abs(angle[i]! - degrees) > DOUBT * 3) continue;
    support[u[i]! + 1] = 1;
  }
  for (let i = 0; i < length; i += 1) support[i + 1] = support[i]! + support[i + 1]!;
  return support;
}

function isSame(a: EdgeLine, b: EdgeLine, length: number): boolean {
  const apart = (u: number) => Math.abs(a.at + a.slope * u - b.at - b.slope * u);
  return apart(0) < 3 && apart(length) < 3;
}
