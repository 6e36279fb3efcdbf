// Names of software cameras, of apps that turn phones into webcams, and of capture devices.

/** Programs that output any video: a file, a screen, a filtered or generated face. */
export const VIRTUAL_CAMERA_NAMES: readonly RegExp[] = [
  // As a word, because OBSBOT makes real cameras.
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
  // Chromium's own test device.
  /^fake_device_\d+/i,
];

/**
 * Sources that may show a person or a recording. Apps that turn a phone into a webcam accept any
 * video in their driver, and capture devices accept any screen or player. Phones connected by the
 * system itself, such as Apple's Continuity Camera, have no such driver and are not listed.
 */
export const SUSPICIOUS_CAMERA_NAMES: readonly RegExp[] = [
  // Windows also adds it to the name of every software camera.
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

/** Longer names are cut, because drivers choose their names freely. */
const LABEL_MAX = 200;

export function isVirtualCamera(label: string): boolean {
  return matchesAny(VIRTUAL_CAMERA_NAMES, label);
}

/** Known software is not also suspicious, so each name counts once. */
export function isSuspiciousCamera(label: string): boolean {
  return !isVirtualCamera(label) && matchesAny(SUSPICIOUS_CAMERA_NAMES, label);
}

function matchesAny(patterns: readonly RegExp[], label: string): boolean {
  const name = label.trim().slice(0, LABEL_MAX);
  return patterns.some((pattern) => pattern.test(name));
}
