// The functions of @limen/documents that the reader uses. Tests replace them.
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
  | 'parseLicense'
  | 'readZone'
  | 'toGray'
>;

export const DOCUMENT_TOOLS: DocumentTools = documents;
