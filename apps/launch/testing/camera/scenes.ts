// Scenes of the test camera, and the data that Node passes to the page for them.

export const SCENES = [
  'person',
  'nobody',
  'two_people',
  'dark',
  'blurred',
  'far',
  'still',
  'flat_moved',
  'flat_tilted',
  'flat_zoomed',
  'flat_squeezed',
  'flat_bent',
  /** Another person from that challenge on. The first person returns when everything restarts. */
  'swapped_first',
  'swapped_second',
  'swapped_third',
  /** Another person while the screen shows its colors. */
  'swapped_light',
  /** Once, during a challenge, the person is gone or joined by another. */
  'left',
  'joined',
  /** Animations that ignore the colors, tint the picture or the face, or overlay the face. */
  'unlit',
  'tinted',
  'face_tinted',
  'face_overlaid',
  /** So bright during the screen's colors that the camera saturates. */
  'flooded',
] as const;
export type Scene = (typeof SCENES)[number];

/** `frozen`: one picture. `looped`: the first ones repeat. `deaf`: refuses another rate oddly. */
export type StreamManner = 'honest' | 'frozen' | 'looped' | 'deaf';

export interface Size {
  width: number;
  height: number;
}

/** A picture of one person, as the camera sees it. */
export interface SitterData {
  /** Base64 JPEG, because the page's policy forbids fetching. */
  picture: string;
  landmarks: number[];
  /** Mean brightness of the face, 0 to 255. */
  light: number;
  /** The part that moves. */
  head: { x: number; y: number; width: number; height: number };
}

/** A document in a slightly moving hand: a few pictures of each side. */
export interface DocumentShots {
  size: Size;
  /** Base64 JPEGs by the page's name of the side. The first side replaces a missing one. */
  sides: Record<string, string[]>;
}

export interface CameraData {
  scene: Scene;
  /** Behavior of the front camera. */
  manner: StreamManner;
  size: Size;
  framesPerSecond: number;
  holdMs: number;
  /** Document in front of the rear camera. Without one the device has a single camera. */
  document: DocumentShots | null;
  main: SitterData;
  other: SitterData;
  far: SitterData;
  /** The empty room, as base64 JPEG. */
  room: string;
}
