// What can be before the test camera, and what Node hands to the page for it.

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
  /** Somebody else from that challenge on. Who sat there first is back when all begins again. */
  'swapped_first',
  'swapped_second',
  'swapped_third',
  /** Somebody else as long as the screen shows its colours. */
  'swapped_light',
  /** Once, while a challenge is asked for, nobody is there for a while, or a second person. */
  'left',
  'joined',
  /** An animation that does what is asked and does not know of the screen's colours; tints its picture; the face; lays them over it. */
  'unlit',
  'tinted',
  'face_tinted',
  'face_overlaid',
  /** So bright, as long as the screen shows its colours, that the camera cannot tell. */
  'flooded',
] as const;
export type Scene = (typeof SCENES)[number];

/**
 * What the stream itself is like. `frozen`: one picture for ever; `looped`: the first few again and again; `deaf`: it
 * refuses another frame rate as no camera does.
 */
export type StreamManner = 'honest' | 'frozen' | 'looped' | 'deaf';

export interface Size {
  width: number;
  height: number;
}

/** A picture of one person, as the camera sees it. */
export interface SitterData {
  /** JPEG in base64: the page's policy lets nothing be fetched. */
  picture: string;
  landmarks: number[];
  /** Mean brightness of the face, 0 to 255. */
  light: number;
  /** The part that moves. */
  head: { x: number; y: number; width: number; height: number };
}

/** A document in a hand that is never quite still: a few pictures of each side that a page can ask for. */
export interface DocumentShots {
  size: Size;
  /** By the name that the page has for a side. JPEG in base64. Where the side is not here, the first one is shown. */
  sides: Record<string, string[]>;
}

export interface CameraData {
  scene: Scene;
  /** Of the camera that looks at the person. */
  manner: StreamManner;
  size: Size;
  framesPerSecond: number;
  /** Of a pose that is asked for. */
  holdMs: number;
  /** Before the camera that looks away from the person; without one it sees what the other sees. */
  document: DocumentShots | null;
  main: SitterData;
  other: SitterData;
  far: SitterData;
  /** Nobody in it; JPEG in base64. */
  room: string;
}
