// The movements that a person may be asked for. What else belongs to one: apps/launch/src/face/movement/kinds.

export const MOVEMENTS = ['turn_left', 'turn_right', 'look_up', 'blink'] as const;
export type Movement = (typeof MOVEMENTS)[number];

/** Each movement has to be done within this time of being shown, unless the service was told otherwise. */
export const MOVEMENT_MS = 15_000;
