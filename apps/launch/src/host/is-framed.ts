// Whether the page sits in a frame of another one. Of the first screen: nothing else of this folder is.

export function isFramed(): boolean {
  return window.parent !== window;
}
