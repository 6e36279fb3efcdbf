// Simulates a camera's view of documents, in Node and browsers.

export { PRINTS, type Print } from './fine-print.ts';
export { CAMERA_KINDS, CAMERAS, type CameraName } from './mosaic.ts';
export { type Camera, createCamera, type PhotographOptions, photograph } from './photograph.ts';
export { createRandom, type Random } from './random.ts';
export { SCREENS, type ScreenName } from './screen-kinds.ts';
export { BUSY_TABLES, DISTORTIONS, type Distortion, TABLES, type Table } from './shots.ts';
