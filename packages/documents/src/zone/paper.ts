// How bright the paper under a line of text is: what is left when all that is thin and dark is filled.
import { boxBlur } from '../image/blur.ts';
import type { GrayImage } from '../image/gray.ts';
import { close } from '../image/morphology.ts';
import { halve } from '../image/resize.ts';

/** Half as wide and high as the strip: paper changes slowly. A character fits into the window, a shadow does not. */
export function estimatePaper(strip: GrayImage): GrayImage {
  return boxBlur(close(halve(strip), 13, 13), 4);
}
