// Loads sanctions lists: streams any of the published formats into entities and reports unusable
// records.
import type { ListedEntity } from '../entity.ts';
import type { ListFormat } from './detect-format.ts';
import { loadCanada } from './formats/load-canada.ts';
import { loadEu } from './formats/load-eu.ts';
import { type ListChange, loadFtm, loadFtmDelta } from './formats/load-ftm.ts';
import { loadOfac } from './formats/load-ofac.ts';
import { loadSeco } from './formats/load-seco.ts';
import { loadTargetsSimple } from './formats/load-targets-simple.ts';
import { loadUk } from './formats/load-uk.ts';
import { loadUn } from './formats/load-un.ts';
import type { LoadReport } from './reading/load-report.ts';
import type { Chunks, ListSource } from './reading/read-blocks.ts';

export { detectFormat, LIST_FORMATS, type ListFormat } from './detect-format.ts';
export type { ListChange } from './formats/load-ftm.ts';
export { createLoadReport, type LoadProblem, type LoadReport, noteCut, noteRepeated } from './reading/load-report.ts';
export type { Chunks, ListSource } from './reading/read-blocks.ts';

/**
 * Increment when loaders read more or differently. Sources are not stored, so lists read by an
 * older loader are fetched again at the next refresh, even if unchanged.
 */
export const LOADER_VERSION = 3;

/**
 * Never throws on file content: the report lists problems, and the caller judges them. Throws only
 * if the source cannot be read. `dataset` is the default for entities that name none.
 */
export async function* loadList(
  format: ListFormat,
  source: ListSource,
  dataset: string,
  report: LoadReport,
): AsyncGenerator<ListedEntity> {
  for await (const entities of loadBatches(format, source, dataset, report)) {
    for (const entity of entities) {
      report.entities++;
      yield entity;
    }
  }
}

/** Loads lines `{ op: ADD|MOD|DEL, entity }` of an OpenSanctions delta. */
export async function* loadDelta(source: Chunks, dataset: string, report: LoadReport): AsyncGenerator<ListChange> {
  for await (const changes of loadFtmDelta(source, dataset, report)) {
    for (const change of changes) {
      if (change.op === 'put') report.entities++;
      yield change;
    }
  }
}

function loadBatches(
  format: ListFormat,
  source: ListSource,
  dataset: string,
  report: LoadReport,
): AsyncGenerator<ListedEntity[]> {
  switch (format) {
    case 'targets-simple-csv':
      return loadTargetsSimple(source.main, dataset, report);
    case 'ftm-json':
      return loadFtm(source.main, dataset, report);
    case 'ofac-csv':
      return loadOfac(source, dataset, report);
    case 'un-xml':
      return loadUn(source.main, dataset, report);
    case 'eu-csv':
      return loadEu(source.main, dataset, report);
    case 'uk-csv':
      return loadUk(source.main, dataset, report);
    case 'ca-xml':
      return loadCanada(source.main, dataset, report);
    case 'ch-xml':
      return loadSeco(source.main, dataset, report);
  }
}
