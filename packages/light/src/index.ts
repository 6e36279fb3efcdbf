// Colored light of the screen on faces and documents: the colors and their effect.
export { emissionAt, FADE_MS, type Rgb, SCREEN_COLORS, type ShownColor, toCss, toLight } from './colours.ts';
export { createDocumentWitness, type DocumentWitness } from './document-witness.ts';
export { type DocumentLight, type DocumentLightJudgment, judgeDocument } from './judge-document.ts';
export { allowForDaylight, isOutshone, judgeLight, type LightJudgment, mayTellMore } from './judge-light.ts';
export { type DocumentSample, measureDocument } from './measure-document.ts';
export { type LightSample, measureLight } from './measure-light.ts';
