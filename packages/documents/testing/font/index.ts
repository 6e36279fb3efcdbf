// OCR-B for specimens and training: location, outlines and drawing.
export { drawText, fillRings, type TextOptions } from './draw-text.ts';
export { type Font, findZoneFont, loadFont, type Outline } from './font.ts';
