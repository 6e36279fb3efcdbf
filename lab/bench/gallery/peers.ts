// Common alternatives: HNSW graphs, approximate. Installed separately, because they compile native
// code.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readCpuMs } from '../shared/figures.ts';

const FOLDER = join(import.meta.dirname, '../peers');
/** Vectors generated at a time, outside the measurement. */
const CHUNK = 500;

export interface PeerIndex {
  add(from: number, vectors: Float32Array[]): void;
  /** Keys of the nearest vectors, best first. */
  search(query: Float32Array, k: number): number[];
  /** Size of the library's index file: numbers and links, without reserved memory. */
  measureBytes(): number;
}

interface Peer {
  name: string;
  /** Notes for interpreting its figures. */
  note: string;
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
    writeIndexSync(file: string): void;
  };
}

interface Usearch {
  Index: new (options: {
    metric: 'ip';
    dimensions: number;
    connectivity: number;
    expansion_add: number;
    expansion_search: number;
    quantization: UsearchNumbers;
  }) => {
    add(keys: BigUint64Array, vectors: Float32Array, threads: number): void;
    search(query: Float32Array, k: number, threads: number): { keys: BigUint64Array };
    save(file: string): void;
  };
}

/** usearch's number formats. The first is its default. */
type UsearchNumbers = 'f32' | 'f16';

/** Common settings of both: 16 links, 128 candidates while building, 64 while searching. */
const LINKS = 16;
const BUILD_BREADTH = 128;
const SEARCH_BREADTH = 64;

/** Installs missing peers and loads those that could be installed. */
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
  const usearches = usearch ? [describeUsearch(usearch, 'f32'), describeUsearch(usearch, 'f16')] : [];
  return [...usearches, ...(hnswlib ? [describeHnswlib(hnswlib)] : [])];
}

function install(): void {
  console.log('Installing usearch and hnswlib-node into lab/bench/peers (once; the latter is compiled) ...');
  // The pinned Node's headers are next to its binary, so the compiler need not download any.
  const nodedir = dirname(dirname(process.execPath));
  const { status, stderr } = spawnSync('npm', ['ci', '--prefix', FOLDER, '--no-audit', '--no-fund'], {
    encoding: 'utf8',
    env: { ...process.env, npm_config_nodedir: nodedir },
    shell: process.platform === 'win32',
  });
  if (status !== 0) console.log(`npm ci failed in lab/bench/peers:\n${stderr ?? ''}`.trimEnd());
}

function describeUsearch({ Index }: Usearch, quantization: UsearchNumbers): Peer {
  return {
    name: `usearch ${quantization}`,
    note: quantization === 'f32' ? 'its default, single precision' : 'half precision',
    create(_, dimensions) {
      const index = new Index({
        metric: 'ip',
        dimensions,
        connectivity: LINKS,
        expansion_add: BUILD_BREADTH,
        expansion_search: SEARCH_BREADTH,
        quantization,
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
        measureBytes: () => measureFile((file) => index.save(file)),
      };
    },
  };
}

function describeHnswlib({ HierarchicalNSW }: Hnswlib): Peer {
  return {
    name: 'hnswlib-node',
    note:
      process.arch === 'arm64' ? 'scalar: it has SSE and AVX code, none for ARM' : 'SSE or AVX where compiled for it',
    create(size, dimensions) {
      const index = new HierarchicalNSW('ip', dimensions);
      index.initIndex(size, LINKS, BUILD_BREADTH);
      index.setEf(SEARCH_BREADTH);
      return {
        add(from, vectors) {
          for (const [at, vector] of vectors.entries()) index.addPoint(Array.from(vector), from + at);
        },
        search: (query, k) => index.searchKnn(Array.from(query), k).neighbors,
        measureBytes: () => measureFile((file) => index.writeIndexSync(file)),
      };
    },
  };
}

function measureFile(write: (file: string) => void): number {
  const folder = mkdtempSync(join(tmpdir(), 'limen-peer-'));
  try {
    const file = join(folder, 'index');
    write(file);
    return statSync(file).size;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

interface BuiltPeer {
  index: PeerIndex;
  seconds: number;
  /** CPU time of all threads, because other processes affect it least. */
  cpuSeconds: number;
}

export function buildPeer(
  peer: Peer,
  size: number,
  dimensions: number,
  vector: (index: number) => Float32Array,
): BuiltPeer {
  const index = peer.create(size, dimensions);
  let seconds = 0;
  let cpuSeconds = 0;
  for (let from = 0; from < size; from += CHUNK) {
    const vectors = Array.from({ length: Math.min(CHUNK, size - from) }, (_, at) => vector(from + at));
    const start = performance.now();
    const cpuFrom = readCpuMs();
    index.add(from, vectors);
    cpuSeconds += (readCpuMs() - cpuFrom) / 1000;
    seconds += (performance.now() - start) / 1000;
  }
  return { index, seconds, cpuSeconds };
}
