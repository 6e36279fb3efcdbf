// Checks the capacity for faces of the biometric node, and the integrity of the face models.
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { isIntact, loadManifest, type Manifest } from '@limen/face-models';
import { bytesPerVector } from '@limen/gallery';
import { sql } from 'kysely';
import { LEAST_FOR_GRAPH, listGraphs } from '../../../faces/galleries/index/pgvector-graphs.ts';
import { createPeopleCensus } from '../../../faces/galleries/store/people-census.ts';
import { manifestProblems } from '../../../faces/models/manifest.ts';
import { modelsFolder } from '../../../faces/settings.ts';
import type { Database } from '../../../platform/database/database.ts';
import { hasTable } from '../../../platform/database/migrate.ts';
import { formatBytes } from '../../../platform/files/free-space.ts';
import { DATABASE_SILENT, type DoctorCheck, type DoctorFinding, failure, ok, warning } from './check.ts';

/** Share of the capacity from which the doctor warns */
const NEARLY_FULL = 0.9;
const WORLDS = ['live', 'test'] as const;
/** Share of the memory that faces may take, next to the service and the database's cache */
const MOST_OF_MEMORY = 0.5;

export const checkFaces: DoctorCheck = async ({ config, database: facts }) => {
  if (!config.SERVE.has('node')) return [ok('not served by this process')];
  if (facts.state === 'silent') return [DATABASE_SILENT];
  const inPgvector = config.VECTOR_STORE === 'pgvector';
  const missing = inPgvector && facts.state === 'answers' ? await findMissingExtension(facts.database) : [];
  if (facts.state === 'absent' || !(await hasTable(facts.database, 'galleries'))) {
    return [...missing, ok('no one is enrolled yet')];
  }
  const galleries = await createPeopleCensus(facts.database).listGalleries();
  const sum = (amount: (gallery: (typeof galleries)[number]) => number) =>
    galleries.reduce((total, gallery) => total + amount(gallery), 0);
  const allBytes = sum(({ dimensions, embeddings }) => embeddings * bytesPerVector(dimensions));
  const findings = judgeFaces({
    people: sum(({ people }) => people),
    embeddings: sum(({ embeddings }) => embeddings),
    fullest: Math.max(...WORLDS.map((world) => sum((gallery) => (gallery.world === world ? gallery.embeddings : 0)))),
    maxEmbeddings: config.NODE_MAX_EMBEDDINGS,
    neededBytes: inPgvector ? 0 : Math.min(allBytes, (config.FACE_MEMORY_MB ?? Infinity) * 2 ** 20),
    memoryBytes: findProcessMemory(),
  });
  const mayMiss = inPgvector && config.VECTOR_SEARCH === 'approximate' && facts.state === 'answers';
  const slow = mayMiss ? await findWithoutGraph(facts.database, galleries) : [];
  return [...missing, ...findings, ...slow];
};

interface FaceFacts {
  people: number;
  embeddings: number;
  /** Embeddings in the fuller one of the two worlds */
  fullest: number;
  /** Limit of each world */
  maxEmbeddings: number;
  neededBytes: number;
  memoryBytes: number;
}

export function judgeFaces(facts: FaceFacts): DoctorFinding[] {
  const { people, embeddings, fullest, maxEmbeddings, neededBytes, memoryBytes } = facts;
  const found = `${people === 1 ? '1 person' : `${people} people`}, ${embeddings} embedding${embeddings === 1 ? '' : 's'}`;
  const crowded = `${found}, ${fullest} of them in one world, which has room for ${maxEmbeddings}`;
  const remedy = 'delete people or raise NODE_MAX_EMBEDDINGS: without room nobody new can enroll';
  const room =
    fullest >= maxEmbeddings
      ? failure(crowded, remedy)
      : fullest >= maxEmbeddings * NEARLY_FULL
        ? warning(crowded, remedy)
        : ok(found);
  if (neededBytes <= memoryBytes * MOST_OF_MEMORY) return [room];
  const memory = `their index takes ${formatBytes(neededBytes)} of the ${formatBytes(memoryBytes)} of memory`;
  const memoryRemedy =
    'give the server more memory, hold fewer at a time (FACE_MEMORY_MB), or search in PostgreSQL (VECTOR_STORE=pgvector)';
  return [room, warning(memory, memoryRemedy)];
}

/** The server creates the extension itself if it is installed. */
async function findMissingExtension({ queries }: Database): Promise<DoctorFinding[]> {
  const { rows } = await sql`select 1 from pg_available_extensions where name = 'vector'`.execute(queries);
  if (rows.length > 0) return [];
  const remedy = 'install it on that server (package postgresql-NN-pgvector), or unset VECTOR_STORE';
  return [failure('this PostgreSQL server does not have pgvector', remedy)];
}

/** Warns of large galleries without a graph, because approximate searches then compare every vector. */
async function findWithoutGraph(database: Database, galleries: readonly { id: string; embeddings: number }[]) {
  const made = await listGraphs(database.queries);
  const lacking = galleries.filter(({ id, embeddings }) => embeddings >= LEAST_FOR_GRAPH && !made.has(id)).length;
  if (lacking === 0) return [];
  const found = `${lacking === 1 ? '1 large gallery has' : `${lacking} large galleries have`} no graph, and searches of it are slow`;
  return [warning(found, 'run: limen people graphs')];
}

/** Returns the machine's memory, or the limit of the control group if that is lower. */
export function findProcessMemory(): number {
  return Math.min(totalmem(), process.constrainedMemory() || Infinity); // zero if there is no limit
}

export const checkModels: DoctorCheck = async ({ config }) => {
  if (!config.SERVE.has('launch')) return [ok('not served by this process')];
  let manifest: Manifest;
  try {
    manifest = await loadManifest(config.MODEL_MANIFEST);
  } catch (error) {
    const problems = manifestProblems(error);
    if (!problems) throw error;
    const remedy = 'correct the file that MODEL_MANIFEST names (docs/how-a-check-works.md), or unset it';
    return problems.map((problem) => failure(`manifest: ${problem}`, remedy));
  }
  const folder = modelsFolder(config);
  const missing: string[] = [];
  for (const model of manifest.models) if (!(await isIntact(join(folder, model.file), model))) missing.push(model.name);
  const { length: count } = manifest.models;
  if (missing.length === 0) return [ok(`all ${count} are present, each with the right hash`)];
  const found = `${missing.length} of ${count} are missing or damaged: ${missing.join(', ')}`;
  return [
    warning(
      found,
      `a server fetches them with npm after its start; wait for it, start one, or copy ${folder} from another machine`,
    ),
  ];
};
