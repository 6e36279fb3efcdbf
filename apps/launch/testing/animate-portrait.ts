// Makes a portrait turn, nod and blink: a simulated person for tests, and an attack for benchmarks.

import type { Box, Points } from '@limen/face-geometry';
import { createFrame, type Frame } from '@limen/face-geometry';
import type { HeadMotion } from '@limen/face-geometry/testing/head-motion.ts';
import { drawTriangles } from './rig/draw-triangles.ts';
import { buildHeadMesh, type HeadMesh } from './rig/head-mesh.ts';
import { measureArea, type Triangle } from './rig/triangulate.ts';

export interface PortraitRig {
  /** `seed`: seed of the camera's noise. */
  render(motion: Partial<HeadMotion>, seed?: number): Frame;
}

export interface RigOptions {
  /** Movable part of the frame; by default all of it. */
  within?: Box;
  /** Scale of the depths: 0 is a flat cutout of the head. */
  depth?: number;
  /** Noise of each channel, 0 to 255. */
  noise?: number;
}

/** Beyond the lower lid, or the eye model still sees an eye. */
const LID_TRAVEL = 1.06;
/** In distances between the eyes. */
const CAMERA_DISTANCE = 9;

export function createPortraitRig(portrait: Frame, landmarks: Points, options: RigOptions = {}): PortraitRig {
  const { width, height } = portrait;
  const { within = { x: 0, y: 0, width, height }, depth = 1, noise = 2 } = options;
  const mesh = buildHeadMesh(landmarks, within, depth);
  return {
    render(motion, seed = 1) {
      const frame = createFrame(width, height, portrait.data.slice());
      const { points, depths } = moveMesh(mesh, { yaw: 0, pitch: 0, roll: 0, lids: 0, x: 0, y: 0, ...motion });
      drawTriangles(portrait, frame, orderTriangles(mesh, points, depths), mesh.flat, points);
      addNoise(frame, noise, seed);
      return frame;
    },
  };
}

function moveMesh(mesh: HeadMesh, motion: HeadMotion) {
  const { flat, pivot, unit, movable } = mesh;
  const shaped = closeLids(mesh, motion.lids);
  const [a, b, c] = [motion.yaw, motion.pitch, motion.roll].map((degrees) => (degrees * Math.PI) / 180) as Angles;
  const points = flat.slice();
  const depths = mesh.depths.slice();
  for (let i = 0; i < movable; i += 1) {
    const [px, py, pz] = [shaped[i * 3]! - pivot.x, shaped[i * 3 + 1]! - pivot.y, shaped[i * 3 + 2]! - pivot.z];
    const [qx, qz] = [Math.cos(a) * px + Math.sin(a) * pz, Math.cos(a) * pz - Math.sin(a) * px];
    const [ry, rz] = [Math.cos(b) * py - Math.sin(b) * qz, Math.sin(b) * py + Math.cos(b) * qz];
    // No scaling at rest, because the portrait already has its perspective.
    const far = CAMERA_DISTANCE * unit;
    const scale = (far - pz) / (far - rz);
    points[i * 2] = pivot.x + motion.x * unit + scale * (Math.cos(c) * qx - Math.sin(c) * ry);
    points[i * 2 + 1] = pivot.y + motion.y * unit + scale * (Math.sin(c) * qx + Math.cos(c) * ry);
    depths[i] = rz;
  }
  return { points, depths };
}

type Angles = [number, number, number];

/** Returns x, y and depth of every point with the upper lids lowered by this share. */
function closeLids(mesh: HeadMesh, closed: number): Float64Array {
  const { flat, depths } = mesh;
  const shaped = Float64Array.from({ length: depths.length * 3 }, (_, i) => {
    const point = Math.floor(i / 3);
    return i % 3 === 2 ? depths[point]! : flat[point * 2 + (i % 3)]!;
  });
  for (const { upper, lower, points } of mesh.lids)
    for (const axis of [0, 1]) {
      const way = flat[lower * 2 + axis]! - flat[upper * 2 + axis]!;
      for (const point of points) shaped[point * 3 + axis]! += closed * LID_TRAVEL * way;
    }
  return shaped;
}

/** Orders back faces first, then by depth, with the lids on top. */
function orderTriangles({ triangles, lids }: HeadMesh, points: Float64Array, depths: Float64Array): Triangle[] {
  const upper = lids.flatMap(({ points: moved }) => moved);
  const lower = lids.map((lid) => lid.lower);
  const keyed = triangles.map((triangle) => {
    const depth = triangle.reduce((sum, corner) => sum + depths[corner]!, 0) / 3;
    const isLid =
      triangle.some((corner) => upper.includes(corner)) && !triangle.some((corner) => lower.includes(corner));
    const turned = measureArea(points, triangle) < 0 ? -1e6 : 0;
    return { triangle, key: depth + turned + (isLid ? 1e3 : 0) };
  });
  return keyed.toSorted((a, b) => a.key - b.key).map(({ triangle }) => triangle);
}

function addNoise({ data }: Frame, noise: number, seed: number): void {
  // One random number for three channels (xorshift), because 300,000 are needed per frame.
  let state = Math.imul(seed + 1, 0x9e3779b1) | 1;
  const share = (noise * 2) / 255;
  for (let i = 0; i < data.length; i += 4) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    data[i] = data[i]! + (state & 255) * share - noise;
    data[i + 1] = data[i + 1]! + ((state >>> 8) & 255) * share - noise;
    data[i + 2] = data[i + 2]! + ((state >>> 16) & 255) * share - noise;
  }
}
