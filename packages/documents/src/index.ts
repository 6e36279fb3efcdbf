// Reads identity documents: pictures and text in, facts out. Without page, camera or network.
export { type ParsedLicense, parseLicense } from './aamva/parse-licence.ts';
export type { LicenseRefusal } from './aamva/read-elements.ts';
export { adviseOn, type DocumentAdvice } from './card/advice.ts';
export { barcodeViews } from './card/barcode-views.ts';
export { type CopySign, findCopySigns } from './card/copy-signs.ts';
export { type Corner, type Corners, findCard } from './card/find-card.ts';
export type { PartialDate } from './dates/partial-date.ts';
export { ageOn, isOver } from './dates/partial-date.ts';
export { type DocumentFacts, type DocumentProblem, judgeDocument } from './facts.ts';
export { type GrayImage, type Picture, toGray } from './image/gray.ts';
export type { ZoneFormat } from './mrz/formats.ts';
export { type ParsedZone, parseZone, type ZoneFields, type ZoneRefusal } from './mrz/parse-zone.ts';
export type { ZoneReading } from './zone/read-group.ts';
export type { LineReading, Recognize } from './zone/read-line.ts';
export { readZone, type SeenLine, type ZoneSighting } from './zone/read-zone.ts';
export { createZoneVote, type ZoneOutcome } from './zone/vote.ts';
