// The arithmetic of pictures and faces: frames, boxes, landmarks, and where a head points. No models and no page in here.
export * from './align.ts';
export * from './generic-face.ts';
export * from './geometry.ts';
export * from './image.ts';
export * from './landmarks.ts';
export * from './pose.ts';
export * from './solve.ts';
export * from './statistics.ts';
