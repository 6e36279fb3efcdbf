// Lower bound of the machine: time for two threads to read the bytes of a scan.
import { Worker } from 'node:worker_threads';
import createWabt from 'wabt';
import { median } from '../shared/figures.ts';

const THREADS = 2;
const ROUNDS = 15;
const PAGE = 65_536;

/** Eight loads per iteration into four sums: just enough arithmetic to keep the loads. */
const READER = `(module
  (import "host" "memory" (memory 1 65536 shared))
  (func (export "read") (param $at i32) (param $end i32) (result i32)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (loop $next
      ${[0, 1, 2, 3, 4, 5, 6, 7]
        .map((step) => {
          const sum = 'abcd'[step % 4];
          return `(local.set $${sum} (v128.xor (local.get $${sum}) (v128.load offset=${step * 16} (local.get $at))))`;
        })
        .join('\n')}
      (local.set $at (i32.add (local.get $at) (i32.const 128)))
      (br_if $next (i32.lt_u (local.get $at) (local.get $end))))
    (i8x16.bitmask (v128.xor (v128.xor (local.get $a) (local.get $b)) (v128.xor (local.get $c) (local.get $d))))))`;

/** Waits for its turn, reads its part, and reports. Plain JavaScript, passed as text. */
const READ = `
  const { workerData: { memory, reader, signals, at, end } } = require('node:worker_threads');
  const { read } = new WebAssembly.Instance(new WebAssembly.Module(reader), { host: { memory } }).exports;
  const cells = new Int32Array(signals);
  for (let turn = 0; ; turn += 1) {
    Atomics.wait(cells, 0, turn);
    read(at, end);
    Atomics.add(cells, 1, 1);
    Atomics.notify(cells, 1);
  }`;

/** Returns the milliseconds to read this many bytes: the median of some rounds. */
export async function measureFloor(bytes: number): Promise<number> {
  const wabt = await createWabt();
  const reader = wabt.parseWat('reader', READER, { simd: true, threads: true }).toBinary({}).buffer;
  const pages = Math.ceil(bytes / PAGE);
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
  // Pages that were never written share one physical page.
  new Uint8Array(memory.buffer).fill(1);
  const signals = new SharedArrayBuffer(8);
  const cells = new Int32Array(signals);
  const part = Math.floor(bytes / THREADS / 128) * 128;
  const workers = Array.from({ length: THREADS }, (_, thread) => {
    const workerData = { memory, reader, signals, at: thread * part, end: (thread + 1) * part };
    return new Worker(READ, { eval: true, workerData, execArgv: [] });
  });
  await Promise.all(workers.map((worker) => new Promise((resolve) => worker.once('online', resolve))));
  const times: number[] = [];
  for (let round = 1; round <= ROUNDS + 2; round += 1) {
    const from = performance.now();
    Atomics.store(cells, 0, round);
    Atomics.notify(cells, 0);
    for (let done = Atomics.load(cells, 1); done < round * THREADS; done = Atomics.load(cells, 1))
      Atomics.wait(cells, 1, done);
    // The first rounds compile the reader.
    if (round > 2) times.push(performance.now() - from);
  }
  await Promise.all(workers.map((worker) => worker.terminate()));
  return median(times);
}
