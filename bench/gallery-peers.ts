// What people use instead: HNSW graphs, approximate. They are installed apart, because they compile native code.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const FOLDER = join(import.meta.dirname, 'peers');
/** Vectors between two looks at the clock. */
const CHUNK = 500;

export interface PeerIndex {
  add(from: number, vectors: Float32Array[]): void;
  /** Keys of the nearest, best first. */
  search(query: Float32Array, k: number): number[];
}

interface Peer {
  name: string;
  create(size: number, dimensions: number): PeerIndex;
}

interface Hnswlib {
  HierarchicalNSW: new (
    space: 'ip',
    dimensions: number,
  ) => {
    initIndex(size: number, m: number, efConstruction: number): void;
    setEf(ef: number): void;
    addPoint(point: number[], label: number): void;
    searchKnn(query: number[], k: number): { neighbors: number[] };
  };
}

interface Usearch {
  Index: new (options: {
    metric: 'ip';
    dimensions: number;
    connectivity: number;
    expansion_add: number;
    expansion_search: number;
  }) => {
    add(keys: BigUint64Array, vectors: Float32Array, threads: number): void;
    search(query: Float32Array, k: number, threads: number): { keys: BigUint64Array };
  };
}

/** The usual settings of both: 16 links, 128 considered while building, 64 while searching. */
const LINKS = 16;
const BUILD_BREADTH = 128;
const SEARCH_BREADTH = 64;

/** Installs the peers where they are not yet, and loads those that installed. */
export function loadPeers(): Peer[] {
  if (!existsSync(join(FOLDER, 'node_modules'))) install();
  const require = createRequire(join(FOLDER, 'package.json'));
  const load = <Module>(name: string): Module | undefined => {
    try {
      return require(name) as Module;
    } catch (error) {
      console.log(`${name} did not install here and is left out: ${String(error).split('\n', 1)[0]}`);
      return undefined;
    }
  };
  const usearch = load<Usearch>('usearch');
  const hnswlib = load<Hnswlib>('hnswlib-node');
  return [...(usearch ? [describeUsearch(usearch)] : []), ...(hnswlib ? [describeHnswlib(hnswlib)] : [])];
}

function install(): void {
  console.log('Installing usearch and hnswlib-node into bench/peers (once; the latter is compiled) ...');
  // The headers of the pinned Node lie beside its program: the compiler need not fetch any.
  const nodedir = dirname(dirname(process.execPath));
  const { status, stderr } = spawnSync('npm', ['ci', '--prefix', FOLDER, '--no-audit', '--no-fund'], {
    encoding: 'utf8',
    env: { ...process.env, npm_config_nodedir: nodedir },
    shell: process.platform === 'win32',
  });
  if (status !== 0) console.log(`npm ci failed in bench/peers:\n${stderr ?? ''}`.trimEnd());
}

function describeUsearch({ Index }: Usearch): Peer {
  return {
    name: 'usearch',
    create(_, dimensions) {
      const index = new Index({
        metric: 'ip',
        dimensions,
        connectivity: LINKS,
        expansion_add: BUILD_BREADTH,
        expansion_search: SEARCH_BREADTH,
      });
      return {
        add(from, vectors) {
          const flat = new Float32Array(vectors.length * dimensions);
          for (const [at, vector] of vectors.entries()) flat.set(vector, at * dimensions);
          index.add(
            BigUint64Array.from(vectors, (_vector, at) => BigInt(from + at)),
            flat,
            0,
          );
        },
        search: (query, k) => Array.from(index.search(query, k, 1).keys, Number),
      };
    },
  };
}

function describeHnswlib({ HierarchicalNSW }: Hnswlib): Peer {
  return {
    name: 'hnswlib-node',
    create(size, dimensions) {
      const index = new HierarchicalNSW('ip', dimensions);
      index.initIndex(size, LINKS, BUILD_BREADTH);
      index.setEf(SEARCH_BREADTH);
      return {
        add(from, vectors) {
          for (const [at, vector] of vectors.entries()) index.addPoint(Array.from(vector), from + at);
        },
        search: (query, k) => index.searchKnn(Array.from(query), k).neighbors,
      };
    },
  };
}

export type BuildOutcome = { index: PeerIndex; seconds: number } | { estimatedSeconds: number };

/** Seconds after which it is plain how long the whole will take at least. */
const ESTIMATE_SECONDS = 10;

/** Gives up as soon as it is plain that it will take longer than the run can spare. */
export function buildPeer(
  peer: Peer,
  size: number,
  dimensions: number,
  vector: (index: number) => Float32Array,
  maxSeconds: number,
): BuildOutcome {
  const index = peer.create(size, dimensions);
  let seconds = 0;
  for (let from = 0; from < size; from += CHUNK) {
    const vectors = Array.from({ length: Math.min(CHUNK, size - from) }, (_, at) => vector(from + at));
    const start = performance.now();
    index.add(from, vectors);
    seconds += (performance.now() - start) / 1000;
    const estimatedSeconds = (seconds * size) / (from + vectors.length);
    if (seconds > ESTIMATE_SECONDS && estimatedSeconds > maxSeconds) return { estimatedSeconds };
  }
  return { index, seconds };
}
