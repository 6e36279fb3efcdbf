// The scan kernel in WebAssembly text: upper bounds for many rows at once, and the rows whose bound
// reaches the limit. Only scripts/build-kernel.ts reads this file; the service loads the built
// modules.

/**
 * Products of sixteen signed 8-bit with sixteen 7-bit numbers, two per 16-bit lane: 128 × 127 twice
 * fits. Only defined while the second operand is 0 to 127, which is why codes and query parts have
 * offsets.
 */
type Pairs = (signed: string, sevenBit: string) => string;

/** One x86 instruction. */
const relaxedPairs: Pairs = (signed, sevenBit) => `(i16x8.relaxed_dot_i8x16_i7x16_s ${signed} ${sevenBit})`;

/** Same sums without relaxed SIMD. Which two products share a lane does not matter. */
const plainPairs: Pairs = (signed, sevenBit) => `(i16x8.add
    (i16x8.extmul_low_i8x16_s ${signed} ${sevenBit}) (i16x8.extmul_high_i8x16_s ${signed} ${sevenBit}))`;

/** Same products, summed into four 32-bit lanes: one instruction on arm64, five on most x86. */
const dot = (signed: string, sevenBit: string, sum: string) =>
  `(i32x4.relaxed_dot_i8x16_i7x16_add_s ${signed} ${sevenBit} ${sum})`;

const ROWS = [0, 1, 2, 3];

/** Sums of adjacent lanes, with those of the first operand first. */
function addPairs(left: string, right: string): string {
  const even = '0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27';
  const odd = '4 5 6 7 12 13 14 15 20 21 22 23 28 29 30 31';
  return `(i32x4.add (i8x16.shuffle ${even} ${left} ${right}) (i8x16.shuffle ${odd} ${left} ${right}))`;
}

/** Sums the four lanes of four vectors into one lane each. Clobbers the first and third. */
function sumRows(names: string[]): string {
  const [a, b, c, d] = names.map((name) => `(local.get $${name})`);
  return `(local.set $${names[0]} ${addPairs(a!, b!)})
    (local.set $${names[2]} ${addPairs(c!, d!)})
    (local.set $${names[0]} ${addPairs(a!, c!)})`;
}

const declare = (type: string, names: string[]) => names.map((name) => `(local $${name} ${type})`).join(' ');
const clear = (names: string[]) => names.map((name) => `(local.set $${name} (v128.const i32x4 0 0 0 0))`).join('\n');
const advance = (name: string, by: string) => `(local.set $${name} (i32.add (local.get $${name}) ${by}))`;
const splat = (name: string) => `(f32x4.splat (local.get $${name}))`;

/** Query bytes before 16-bit lanes could overflow: eight times two products of 15 and 127. */
const STRETCH = 256;

/**
 * Four bits per dimension: sixteen bytes hold 32, with the first sixteen in the lower halves. Uses
 * two sums per row to avoid dependent additions. Finally `even` of each row has both.
 */
function writeCoarseSums(pairs: Pairs | undefined): string {
  const add = (sum: string, query: number, codes: string) => {
    const [factor, old] = [`(local.get $q${query})`, `(local.get $${sum})`];
    return `(local.set $${sum} ${pairs ? `(i16x8.add ${old} ${pairs(factor, codes)})` : dot(factor, codes, old)})`;
  };
  const low = '(v128.and (local.get $codes) (local.get $mask))';
  // x86 needs five instructions to shift bytes.
  const high = pairs
    ? '(v128.and (i16x8.shr_u (local.get $codes) (i32.const 4)) (local.get $mask))'
    : '(i8x16.shr_u (local.get $codes) (i32.const 4))';
  const half = (row: number, offset: number, query: number) => `
    (local.set $codes (v128.load offset=${offset} (local.get $row${row})))
    ${add(`even${row}`, query, low)}
    ${add(`odd${row}`, query + 1, high)}`;
  const steps = `
      ${clear(COARSE_SUMS)}
      (loop $dimensions
        ${ROWS.map((at) => `(local.set $q${at} (v128.load offset=${at * 16} (local.get $query)))`).join('\n')}
        ${ROWS.map((row) => `${half(row, 0, 0)} ${half(row, 16, 2)} ${advance(`row${row}`, '(i32.const 32)')}`).join('\n')}
        ${advance('query', '(i32.const 64)')}
        (br_if $dimensions (i32.lt_u (local.get $query) (local.get $pause))))`;
  if (!pairs) {
    return `(local.set $pause (local.get $end)) ${steps}
      ${ROWS.map((row) => `(local.set $even${row} (i32x4.add (local.get $even${row}) (local.get $odd${row})))`).join('\n')}`;
  }
  const widen = (sum: string) => `(i32x4.extadd_pairwise_i16x8_s (local.get $${sum}))`;
  const wide = ROWS.map((row) => `wide${row}`);
  return `
      ${clear(wide)}
      (loop $stretch
        (local.set $pause (i32.add (local.get $query) (i32.const ${STRETCH})))
        (if (i32.gt_u (local.get $pause) (local.get $end)) (then (local.set $pause (local.get $end))))
        ${steps}
        ${ROWS.map(
          (row) =>
            `(local.set $wide${row} (i32x4.add (local.get $wide${row}) (i32x4.add ${widen(`even${row}`)} ${widen(`odd${row}`)})))`,
        ).join('\n')}
        (br_if $stretch (i32.lt_u (local.get $query) (local.get $end))))
      ${ROWS.map((row) => `(local.set $even${row} (local.get $wide${row}))`).join('\n')}`;
}

const COARSE_SUMS = ROWS.flatMap((row) => [`even${row}`, `odd${row}`]);

function writeScanCoarse(pairs: Pairs | undefined): string {
  const plane = (at: number) =>
    `(v128.load (i32.add (local.get $metaAt) (i32.mul (local.get $metaStride) (i32.const ${at}))))`;
  return `
  (func (export "scanCoarse")
    (param $codesAt i32) (param $stride i32) (param $metaAt i32) (param $metaStride i32) (param $queryAt i32)
    (param $from i32) (param $to i32) (param $out i32)
    (param $limit f32) (param $scale f32) (param $queryNorm f32) (param $queryError f32) (param $center f32)
    (result i32)
    ${declare('i32', ['start', 'end', 'pause', 'query', 'passing', 'row0', 'row1', 'row2', 'row3'])}
    ${declare('v128', ['codes', 'q0', 'q1', 'q2', 'q3', 'mask', 'bound', 'estimate', ...COARSE_SUMS, ...ROWS.map((row) => `wide${row}`)])}
    (local.set $start (local.get $out))
    (local.set $end (i32.add (local.get $queryAt) (i32.shl (local.get $stride) (i32.const 1))))
    (local.set $mask (i8x16.splat (i32.const 15)))
    (local.set $row0 (i32.add (local.get $codesAt) (i32.mul (local.get $from) (local.get $stride))))
    (local.set $metaAt (i32.add (local.get $metaAt) (i32.shl (local.get $from) (i32.const 2))))
    (block $done (loop $group
      (br_if $done (i32.ge_u (local.get $from) (local.get $to)))
      (local.set $row1 (i32.add (local.get $row0) (local.get $stride)))
      (local.set $row2 (i32.add (local.get $row1) (local.get $stride)))
      (local.set $row3 (i32.add (local.get $row2) (local.get $stride)))
      (local.set $query (local.get $queryAt))
      ${writeCoarseSums(pairs)}
      ${sumRows(ROWS.map((row) => `even${row}`))}
      (local.set $estimate (f32x4.mul ${plane(0)} (f32x4.mul ${splat('scale')}
        (f32x4.sub (f32x4.convert_i32x4_s (local.get $even0)) ${splat('center')}))))
      (local.set $bound (f32x4.add (local.get $estimate)
        (f32x4.add (f32x4.mul ${plane(1)} ${splat('queryNorm')}) (f32x4.mul ${plane(2)} ${splat('queryError')}))))
      (local.set $passing
        (i32.xor (i32x4.bitmask (f32x4.lt (local.get $bound) ${splat('limit')})) (i32.const 15)))
      (if (local.get $passing) (then
        ${ROWS.map(
          (row) => `(if (i32.and (local.get $passing) (i32.const ${1 << row})) (then
          (i32.store (local.get $out) (i32.add (local.get $from) (i32.const ${row})))
          (f32.store offset=4 (local.get $out) (f32x4.extract_lane ${row} (local.get $bound)))
          (f32.store offset=8 (local.get $out) (f32x4.extract_lane ${row} (local.get $estimate)))
          ${advance('out', '(i32.const 12)')}))`,
        ).join('\n')}))
      (local.set $row0 (local.get $row3))
      ${advance('metaAt', '(i32.const 16)')}
      ${advance('from', '(i32.const 4)')}
      (br $group)))
    (i32.div_u (i32.sub (local.get $out) (local.get $start)) (i32.const 12)))`;
}

const FINE_PARAMETERS = `
    (param $codesAt i32) (param $stride i32) (param $rowBytes i32) (param $queryAt i32)`;
const FINE_LIMITS = `
    (param $limit f32) (param $scale f32) (param $queryNorm f32) (param $queryError f32)`;

/**
 * Eight bits per dimension against a 14-bit query, with its upper and lower seven bits separate,
 * into `fine` of each row. Afterwards each `row` points to the row's metadata, which follows its
 * codes: a single row is contiguous in memory.
 */
function writeFineSums(pairs: Pairs | undefined, rows: number[]): string {
  const [codes, high, low] = ['(local.get $codes)', '(local.get $qHigh)', '(local.get $qLow)'];
  const add = (row: number) =>
    pairs
      ? `(local.set $fine${row} (i32x4.add (local.get $fine${row}) (i32x4.add
          (i32x4.dot_i16x8_s ${pairs(codes, high)} (local.get $shift)) (i32x4.extadd_pairwise_i16x8_s ${pairs(codes, low)}))))`
      : `(local.set $high${row} ${dot(codes, high, `(local.get $high${row})`)})
        (local.set $fine${row} ${dot(codes, low, `(local.get $fine${row})`)})`;
  return `
      (local.set $query (local.get $queryAt))
      ${clear(rows.flatMap((row) => (pairs ? [`fine${row}`] : [`fine${row}`, `high${row}`])))}
      (loop $dimensions
        (local.set $qHigh (v128.load (local.get $query)))
        (local.set $qLow (v128.load (i32.add (local.get $query) (local.get $stride))))
        ${rows
          .map(
            (row) => `
        (local.set $codes (v128.load (local.get $row${row})))
        ${add(row)}
        ${advance(`row${row}`, '(i32.const 16)')}`,
          )
          .join('\n')}
        ${advance('query', '(i32.const 16)')}
        (br_if $dimensions (i32.lt_u (local.get $query) (local.get $end))))
      ${pairs ? '' : rows.map((row) => `(local.set $fine${row} (i32x4.add (i32x4.shl (local.get $high${row}) (i32.const 7)) (local.get $fine${row})))`).join('\n')}`;
}

/** A shift of seven bits to the left, for adding pairs. */
const SHIFT = '(local.set $shift (i16x8.splat (i32.const 128)))';

const storeCandidate = (row: string, bound: string) => `
        (i32.store (local.get $out) ${row})
        (f32.store offset=4 (local.get $out) ${bound})
        ${advance('out', '(i32.const 8)')}`;

/** Transposes four rows of four numbers. */
function transpose(names: string[]): string {
  const get = (name: string | undefined) => `(local.get $${name})`;
  const zipLow = '0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23';
  const zipHigh = '8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31';
  const joinLow = '0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23';
  const joinHigh = '8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31';
  const [a, b, c, d] = names;
  const shuffle = (lanes: string, left: string, right: string) => `(i8x16.shuffle ${lanes} ${left} ${right})`;
  return `
    (local.set $t0 ${shuffle(zipLow, get(a), get(b))}) (local.set $t1 ${shuffle(zipLow, get(c), get(d))})
    (local.set $t2 ${shuffle(zipHigh, get(a), get(b))}) (local.set $t3 ${shuffle(zipHigh, get(c), get(d))})
    (local.set $${a} ${shuffle(joinLow, get('t0'), get('t1'))}) (local.set $${b} ${shuffle(joinHigh, get('t0'), get('t1'))})
    (local.set $${c} ${shuffle(joinLow, get('t2'), get('t3'))}) (local.set $${d} ${shuffle(joinHigh, get('t2'), get('t3'))})`;
}

/** All rows of a range, four at a time. */
function writeScanFine(pairs: Pairs | undefined): string {
  const sums = ROWS.flatMap((row) => [`fine${row}`, `high${row}`]);
  const metas = ROWS.map((row) => `meta${row}`);
  return `
  (func (export "scanFine") ${FINE_PARAMETERS}
    (param $from i32) (param $to i32) (param $out i32) ${FINE_LIMITS} (result i32)
    ${declare('i32', ['start', 'end', 'query', 'passing', 'row0', 'row1', 'row2', 'row3'])}
    ${declare('v128', ['codes', 'qHigh', 'qLow', 'shift', 'bound', 't0', 't1', 't2', 't3', ...sums, ...metas])}
    (local.set $start (local.get $out)) ${SHIFT}
    (local.set $end (i32.add (local.get $queryAt) (local.get $stride)))
    (local.set $row0 (i32.add (local.get $codesAt) (i32.mul (local.get $from) (local.get $rowBytes))))
    (block $done (loop $group
      (br_if $done (i32.ge_u (local.get $from) (local.get $to)))
      (local.set $row1 (i32.add (local.get $row0) (local.get $rowBytes)))
      (local.set $row2 (i32.add (local.get $row1) (local.get $rowBytes)))
      (local.set $row3 (i32.add (local.get $row2) (local.get $rowBytes)))
      ${writeFineSums(pairs, ROWS)}
      ${sumRows(ROWS.map((row) => `fine${row}`))}
      ${ROWS.map((row) => `(local.set $meta${row} (v128.load (local.get $row${row})))`).join('\n')}
      ${transpose(metas)}
      (local.set $bound (f32x4.add
        (f32x4.mul (local.get $meta0) (f32x4.mul ${splat('scale')} (f32x4.convert_i32x4_s
          (i32x4.sub (local.get $fine0) (local.get $meta2)))))
        (f32x4.add (f32x4.mul (local.get $meta1) ${splat('queryNorm')})
          (f32x4.mul (local.get $meta3) ${splat('queryError')}))))
      (local.set $passing
        (i32.xor (i32x4.bitmask (f32x4.lt (local.get $bound) ${splat('limit')})) (i32.const 15)))
      ${ROWS.map(
        (row) => `(if (i32.and (local.get $passing) (i32.const ${1 << row})) (then
        ${storeCandidate(`(i32.add (local.get $from) (i32.const ${row}))`, `(f32x4.extract_lane ${row} (local.get $bound))`)}))`,
      ).join('\n')}
      (local.set $row0 (i32.add (local.get $row3) (i32.const 16)))
      ${advance('from', '(i32.const 4)')}
      (br $group)))
    (i32.shr_u (i32.sub (local.get $out) (local.get $start)) (i32.const 3)))`;
}

/** The rows of a list, one at a time, after the coarse scan. */
function writeFilterFine(pairs: Pairs | undefined): string {
  const fine = '(local.get $fine0)';
  const sumLanes = `(local.set $fine0 ${addPairs(fine, fine)}) (local.set $fine0 ${addPairs(fine, fine)})`;
  const meta = (at: number) => `(f32.load offset=${at * 4} (local.get $row0))`;
  return `
  (func (export "filterFine") ${FINE_PARAMETERS}
    (param $list i32) (param $count i32) (param $out i32) ${FINE_LIMITS} (result i32)
    ${declare('i32', ['start', 'end', 'query', 'listEnd', 'row', 'row0'])}
    ${declare('f32', ['bound'])}
    ${declare('v128', ['codes', 'qHigh', 'qLow', 'shift', 'fine0', 'high0'])}
    (local.set $start (local.get $out)) ${SHIFT}
    (local.set $end (i32.add (local.get $queryAt) (local.get $stride)))
    (local.set $listEnd (i32.add (local.get $list) (i32.shl (local.get $count) (i32.const 2))))
    (block $done (loop $each
      (br_if $done (i32.ge_u (local.get $list) (local.get $listEnd)))
      (local.set $row (i32.load (local.get $list)))
      (local.set $row0 (i32.add (local.get $codesAt) (i32.mul (local.get $row) (local.get $rowBytes))))
      ${writeFineSums(pairs, [0])}
      ${sumLanes}
      (local.set $bound (f32.add
        (f32.mul ${meta(0)} (f32.mul (local.get $scale) (f32.convert_i32_s
          (i32.sub (i32x4.extract_lane 0 ${fine}) (i32.load offset=8 (local.get $row0))))))
        (f32.add (f32.mul ${meta(1)} (local.get $queryNorm)) (f32.mul ${meta(3)} (local.get $queryError)))))
      (if (i32.eqz (f32.lt (local.get $bound) (local.get $limit))) (then
        ${storeCandidate('(local.get $row)', '(local.get $bound)')}))
      ${advance('list', '(i32.const 4)')}
      (br $each)))
    (i32.shr_u (i32.sub (local.get $out) (local.get $start)) (i32.const 3)))`;
}

function writeKernel(pairs?: Pairs): string {
  return `(module
  (import "host" "memory" (memory 1 65536 shared))
  ${writeScanCoarse(pairs)}
  ${writeScanFine(pairs)}
  ${writeFilterFine(pairs)}
)`;
}

/** Modules by file name. */
export const KERNELS = {
  'kernel-dot.wasm': writeKernel(),
  'kernel-pairs.wasm': writeKernel(relaxedPairs),
  'kernel-plain.wasm': writeKernel(plainPairs),
} as const;
