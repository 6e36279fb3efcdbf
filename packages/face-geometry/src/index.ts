// Arithmetic of pictures and faces: frames, boxes, landmarks and poses. Without models.
export * from './align.ts';
export * from './generic-face.ts';
export * from './geometry.ts';
export * from './image.ts';
export * from './landmarks.ts';
export * from './pose.ts';
export * from './solve.ts';
export * from './statistics.ts';
