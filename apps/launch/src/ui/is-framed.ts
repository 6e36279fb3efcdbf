// Whether the page sits in a frame of another one.

export function isFramed(): boolean {
  return window.parent !== window;
}
