// Reads documents in the worker. Loaded only for documents.
import type { Recognize } from '@limen/documents';
import type { FaceModels } from '../face/index.ts';
import { createDocumentReader, type DocumentReader } from './create-reader.ts';
import { findPortrait } from './find-portrait.ts';
import type { DocumentWish } from './kinds.ts';
import { type ReadBarcode, startBarcodeReader } from './read-barcode.ts';
import { createBarcodeReader, createZoneReader } from './read-code.ts';
import { DOCUMENT_TOOLS } from './tools.ts';

export type { DocumentReader } from './create-reader.ts';

let barcodes: Promise<ReadBarcode> | undefined;

export async function openDocumentReader(models: FaceModels, wish: DocumentWish): Promise<DocumentReader> {
  const recognize: Recognize = async (values, shape) => {
    const [logits] = Object.values(await models.run('document_text', values, shape));
    if (!logits) throw new Error('The model document_text returned no output');
    return logits;
  };
  const code =
    wish.kind === 'licence'
      ? createBarcodeReader(DOCUMENT_TOOLS, await loadBarcodeReader(), wish.today)
      : createZoneReader(DOCUMENT_TOOLS, recognize, wish.today);
  return createDocumentReader(wish, {
    tools: DOCUMENT_TOOLS,
    code,
    findPortrait: (frame, region) => findPortrait(models, frame, region),
  });
}

/** Loads once per worker, and again after a failure. */
function loadBarcodeReader(): Promise<ReadBarcode> {
  barcodes ??= startBarcodeReader().catch((error: unknown) => {
    barcodes = undefined;
    throw error;
  });
  return barcodes;
}
