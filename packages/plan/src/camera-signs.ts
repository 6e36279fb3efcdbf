// What a page can notice of the camera’s stream itself, by name, and what each means.

export const CAMERA_SIGNS = {
  frame_timing: 'Frames come with a regularity, or at times, that no camera has.',
  settings_mismatch: 'What the camera says of itself does not fit its capabilities or the pictures that come.',
  request_ignored:
    'Asked for another frame rate, the camera agreed and nothing changed, or it answered as no camera answers.',
  repeated_noise: 'Frames that should differ are the same to the last bit, or repeat in a cycle.',
  standing_clock: 'Pictures change while the stream’s own time stands still or runs backwards.',
} as const;
export type CameraSign = keyof typeof CAMERA_SIGNS;

export const CAMERA_SIGN_NAMES = Object.keys(CAMERA_SIGNS) as CameraSign[];
