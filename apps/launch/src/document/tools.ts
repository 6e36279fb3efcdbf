// What the reader takes from the package of documents, so that tests can stand in for it.
import * as documents from '@limen/documents';

export type DocumentTools = Pick<
  typeof documents,
  | 'adviseOn'
  | 'ageOn'
  | 'barcodeViews'
  | 'createZoneVote'
  | 'findCard'
  | 'findCopySigns'
  | 'judgeDocument'
  | 'parseLicence'
  | 'readZone'
  | 'toGray'
>;

export const DOCUMENT_TOOLS: DocumentTools = documents;
