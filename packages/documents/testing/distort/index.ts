// How a camera sees documents: runs in Node and in a browser alike.

export { type Camera, createCamera, type PhotographOptions, photograph } from './photograph.ts';
export { createRandom, type Random } from './random.ts';
export { DISTORTIONS, type Distortion, TABLES, type Table } from './shots.ts';
