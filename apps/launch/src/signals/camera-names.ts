// Names of cameras that are software, of phones that pose as webcams, and of capture devices.

/** Programs that hand on whatever they are told to: a file, a screen, a filtered or made-up face. */
export const VIRTUAL_CAMERA_NAMES: readonly RegExp[] = [
  // As a word: OBSBOT makes real cameras.
  /\bobs\b/i,
  /obs-?camera|obsbot virtual/i,
  /manycam/i,
  /snap camera/i,
  /xsplit/i,
  /v4l2 ?loopback|^dummy video device/i,
  /splitcam/i,
  /camtwist/i,
  /webcammax/i,
  /youcam/i,
  /altercam/i,
  /fakewebcam|fake webcam/i,
  /magiccamera/i,
  /webcamoid|akvcam/i,
  /sparkocam/i,
  /chromacam/i,
  /nvidia broadcast/i,
  /mmhmm/i,
  /prism ?live/i,
  /streamlabs/i,
  /vmix video/i,
  /wirecast/i,
  /ecamm live/i,
  /logi(tech)? capture/i,
  /ndi (webcam|video|virtual)|newtek ndi/i,
  /spoutcam/i,
  /unity video capture/i,
  /deepfacelive|avatarify|swapface/i,
  /xpression camera/i,
  /\bvcam\b|vtube ?studio/i,
  // Chromium's own, for tests.
  /^fake_device_\d+/i,
];

/**
 * What may well be a person and may as well be a recording. A phone that an app turns into a webcam has a real lens, but
 * the app's driver takes any video. Capture devices take any screen or player. Phones that the system itself connects
 * (Apple's Continuity Camera) do not pass through such a driver and are not listed.
 */
export const SUSPICIOUS_CAMERA_NAMES: readonly RegExp[] = [
  // Also what Windows adds to the name of every camera that is software.
  /virtual/i,
  /droidcam/i,
  /iriun/i,
  /epoccam/i,
  /ivcam/i,
  /reincubate|^camo\b/i,
  /\bip ?webcam/i,
  /cam link/i,
  /game capture|live gamer|elgato (hd60|4k)/i,
  /capture card|video capture|screen capture|(hdmi|usb\d?(\.\d)?) capture|capture (hdmi|usb)/i,
  /\bhdmi\b/i,
  /magewell|blackmagic|decklink|ultrastudio|intensity (pro|shuttle)|atem mini/i,
  /av to usb/i,
  /screen-?cast|desktop source/i,
];

/** Longer names are cut: the patterns are run over what a driver chose to be called. */
const LABEL_MAX = 200;

export function isVirtualCamera(label: string): boolean {
  return matchesAny(VIRTUAL_CAMERA_NAMES, label);
}

/** Known software is not suspicious on top: one name counts once. */
export function isSuspiciousCamera(label: string): boolean {
  return !isVirtualCamera(label) && matchesAny(SUSPICIOUS_CAMERA_NAMES, label);
}

function matchesAny(patterns: readonly RegExp[], label: string): boolean {
  const name = label.trim().slice(0, LABEL_MAX);
  return patterns.some((pattern) => pattern.test(name));
}
