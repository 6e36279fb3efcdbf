// OCR-B for specimens and for training: where the font is, its outlines, and text drawn with it.
export { drawText, fillRings, type TextOptions } from './draw-text.ts';
export { type Font, findZoneFont, loadFont, type Outline } from './font.ts';
