// The token kernel in WebAssembly text: products modulo q, transforms, rounding, and the
// key-holder's dot products. Only scripts/build-kernel.ts reads this file; the roles load the built
// module.
import { PROJECTION_ROUNDED_AT, ROW_BYTES, ROW_LEFT_AT, ROW_PRODUCT_AT, ROW_RIGHT_AT } from '../blinded-rows.ts';
import { Q, Q_BITS, RING_DEGREE, ROUNDED_RANGE } from '../parameters.ts';
import { PACKED_FUNCTIONS } from './packed-text.ts';
import {
  add,
  advance,
  declare,
  get,
  load,
  loadSplat,
  offsetBy,
  set,
  shuffle,
  splat,
  store,
  subtract,
  whileBelow,
} from './wat.ts';

/**
 * All arithmetic uses four 32-bit integers at a time. A factor w has a companion w·2^32/q (Shoup),
 * whose product with a value has the quotient in its upper half, so the remainder needs only lower
 * halves. Measured on a Neoverse N1: a comparison takes 25 µs this way, 30 with Montgomery
 * reduction, 35 in pairs of floats.
 */
const POLYNOMIAL_BYTES = 4 * RING_DEGREE;
const HALF_BYTES = POLYNOMIAL_BYTES / 2;
const FACTOR_BYTES = 2 * POLYNOMIAL_BYTES;
const ROUNDED_BYTES = 2 * RING_DEGREE;

const HIGH_WORDS = '4 5 6 7 12 13 14 15 20 21 22 23 28 29 30 31';
const LOW_HALVES = '0 1 4 5 8 9 12 13 16 17 20 21 24 25 28 29';

/** High words of the four products. */
const multiplyHigh = (left: string, right: string) =>
  shuffle(
    HIGH_WORDS,
    `(i64x2.extmul_low_i32x4_s ${get(left)} ${get(right)})`,
    `(i64x2.extmul_high_i32x4_s ${get(left)} ${get(right)})`,
  );

/** target = value · factor, within 0..q or outside by at most q/128 per q. Overwrites `t`. */
const multiply = (target: string, value: string, factor: string) => `
        ${set('t', multiplyHigh(value, `${factor}q`))}
        ${set(target, `(i32x4.sub (i32x4.mul ${get(value)} ${get(factor)}) (i32x4.mul ${get('t')} ${get('q')}))`)}`;

/**
 * Reduces to slightly above q/2 at most: q is close enough to a power of two for its multiple to
 * show in the upper bits.
 */
const reduce = (name: string) =>
  set(
    name,
    `(i32x4.sub ${get(name)} (i32x4.mul ${get('q')}
          (i32x4.shr_s (i32x4.add ${get(name)} ${splat(2 ** (Q_BITS - 1))}) (i32.const ${Q_BITS}))))`,
  );

const ROOT_NAMES = ['w1', 'w1q', 'w2', 'w2q', 'w3', 'w3q'];
const STEP_NAMES = ['q', 't', 'A', 'B', 'C', 'D', 's', ...ROOT_NAMES];

/**
 * Two levels of the inverse transform at once: w1 and w2 are the roots of the first level's blocks,
 * w3 of the second's. Sums grow: those in A to four times the inputs, those in B to slightly above
 * 2q. With A reduced in three of the five steps nothing exceeds 17q, and 32q would fit.
 */
const twoLevels = (isReduced: boolean) => `
        ${set('s', subtract('A', 'B'))} ${set('A', add('A', 'B'))}
        ${set('B', subtract('C', 'D'))} ${set('D', add('C', 'D'))}
        ${set('C', subtract('A', 'D'))} ${set('A', add('A', 'D'))}
        ${multiply('s', 's', 'w1')} ${multiply('B', 'B', 'w2')}
        ${set('D', subtract('s', 'B'))} ${set('B', add('s', 'B'))}
        ${multiply('C', 'C', 'w3')} ${multiply('D', 'D', 'w3')}
        ${isReduced ? reduce('A') : ''}`;

/** Transposes four vectors. */
function transpose(): string {
  const zipLow = '0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23';
  const zipHigh = '8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31';
  const joinLow = '0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23';
  const joinHigh = '8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31';
  return `
        ${set('x0', shuffle(zipLow, get('A'), get('B')))} ${set('x1', shuffle(zipLow, get('C'), get('D')))}
        ${set('x2', shuffle(zipHigh, get('A'), get('B')))} ${set('x3', shuffle(zipHigh, get('C'), get('D')))}
        ${set('A', shuffle(joinLow, get('x0'), get('x1')))} ${set('B', shuffle(joinHigh, get('x0'), get('x1')))}
        ${set('C', shuffle(joinLow, get('x2'), get('x3')))} ${set('D', shuffle(joinHigh, get('x2'), get('x3')))}`;
}

const LETTERS = ['A', 'B', 'C', 'D'];

/** The product of a polynomial with a factor, and its first four levels. */
const firstLevels = `
  (func $firstLevels (param $values i32) (param $factor i32) (param $roots i32) (param $out i32) (result i32)
    ${declare('i32', ['end'])} ${declare('v128', [...STEP_NAMES, 'x0', 'x1', 'x2', 'x3'])}
    ${set('q', splat(Q))} ${set('end', offsetBy('values', POLYNOMIAL_BYTES))}
    (loop $next
      ${LETTERS.map(
        (name, at) => `
        ${set(name, load('values', at * 16))} ${set('w1', load('factor', at * 16))}
        ${set('w1q', load('factor', POLYNOMIAL_BYTES + at * 16))} ${multiply(name, name, 'w1')}`,
      ).join('')}
        ${transpose()}
        ${ROOT_NAMES.map((name, at) => set(name, load('roots', at * 16))).join(' ')} ${twoLevels(false)}
        ${transpose()}
        ${ROOT_NAMES.map((name, at) => set(name, loadSplat('roots', 96 + at * 4))).join(' ')} ${twoLevels(true)}
      ${LETTERS.map((name, at) => store('out', get(name), at * 16)).join(' ')}
      ${advance('values', 64)} ${advance('factor', 64)} ${advance('out', 64)} ${advance('roots', 120)}
      ${whileBelow('next', 'values', 'end')})
    ${get('roots')})`;

/** Two more levels of values that are `step` bytes apart. */
const nextLevels = (step: number, isReduced: boolean) => `
    ${set('at', get('values'))}
    (loop $blocks${step}
      ${ROOT_NAMES.map((name, at) => set(name, loadSplat('roots', at * 4))).join(' ')}
      ${advance('roots', 24)} ${set('end', offsetBy('at', step))}
      (loop $next${step}
        ${LETTERS.map((name, at) => set(name, load('at', at * step))).join(' ')}
        ${twoLevels(isReduced)}
        ${LETTERS.map((name, at) => store('at', get(name), at * step)).join(' ')}
        ${advance('at', 16)}
        ${whileBelow(`next${step}`, 'at', 'end')})
      ${advance('at', 3 * step)}
      ${whileBelow(`blocks${step}`, 'at', 'last')})`;

const middleLevels = `
  (func $middleLevels (param $values i32) (param $roots i32) (result i32)
    ${declare('i32', ['at', 'end', 'last'])} ${declare('v128', STEP_NAMES)}
    ${set('q', splat(Q))} ${set('last', offsetBy('values', POLYNOMIAL_BYTES))}
    ${nextLevels(64, true)} ${nextLevels(256, true)} ${nextLevels(1024, false)}
    ${get('roots')})`;

/** Fractional bits of the rounding factor: as many as fit. */
const SCALE_BITS = 40;

/** Coefficients times 65,536/q, rounded. Wrong only within 2^-12 of a half. */
const toRounded = (name: string) =>
  `(i32x4.shr_s
        (i32x4.add ${multiplyHigh(name, 'scale')} ${splat(2 ** (SCALE_BITS - 33))}) (i32.const ${SCALE_BITS - 32}))`;

/** The last level, with each coefficient rounded to 16 bits. */
const lastLevel = `
  (func $lastLevel (param $values i32) (param $roots i32) (param $out i32)
    ${declare('i32', ['end'])} ${declare('v128', ['q', 't', 'scale', 'w', 'wq', 'u0', 'v0', 'd0', 'u1', 'v1', 'd1'])}
    ${set('q', splat(Q))} ${set('scale', splat(Math.round((2 ** SCALE_BITS * ROUNDED_RANGE) / Q)))}
    ${set('w', loadSplat('roots', 0))} ${set('wq', loadSplat('roots', 4))}
    ${set('end', offsetBy('values', HALF_BYTES))}
    (loop $next
      ${[0, 1]
        .map(
          (n) => `
        ${set(`u${n}`, load('values', n * 16))} ${set(`v${n}`, load('values', HALF_BYTES + n * 16))}
        ${set(`d${n}`, subtract(`u${n}`, `v${n}`))} ${set(`u${n}`, add(`u${n}`, `v${n}`))}
        ${multiply(`d${n}`, `d${n}`, 'w')}`,
        )
        .join('')}
      ${store('out', shuffle(LOW_HALVES, toRounded('u0'), toRounded('u1')))}
      ${store('out', shuffle(LOW_HALVES, toRounded('d0'), toRounded('d1')), ROUNDED_BYTES / 2)}
      ${advance('values', 32)} ${advance('out', 16)}
      ${whileBelow('next', 'values', 'end')}))`;

const multiplyRounded = `
  (func $multiplyRounded (export "multiplyRounded") (param $values i32) (param $factor i32) (param $roots i32) (param $scratch i32) (param $out i32)
    (call $lastLevel ${get('scratch')}
      (call $middleLevels ${get('scratch')}
        (call $firstLevels ${get('values')} ${get('factor')} ${get('roots')} ${get('scratch')}))
      ${get('out')}))`;

const multiplyExactly = `
  (func $multiply (export "multiply") (param $values i32) (param $factor i32) (param $out i32)
    ${declare('i32', ['end'])} ${declare('v128', ['q', 't', 'x', 'w', 'wq'])}
    ${set('q', splat(Q))} ${set('end', offsetBy('values', POLYNOMIAL_BYTES))}
    (loop $next
      ${[0, 16, 32, 48]
        .map(
          (at) => `
        ${set('x', load('values', at))} ${set('w', load('factor', at))} ${set('wq', load('factor', POLYNOMIAL_BYTES + at))}
        ${multiply('x', 'x', 'w')} ${store('out', get('x'), at)}`,
        )
        .join('')}
      ${advance('values', 64)} ${advance('factor', 64)} ${advance('out', 64)}
      ${whileBelow('next', 'values', 'end')}))`;

/** Sum of products modulo q: at most 2^61 in total, so one reduction suffices. */
const dotIntsOf = (name: string, bytes: number) => `
  (func $${name} (param $left i32) (param $right i32) (result i64)
    ${declare('i32', ['end'])} ${declare('v128', ['low', 'high', 'x', 'y'])}
    ${set('end', offsetBy('left', bytes))}
    (loop $next
      ${[0, 16, 32, 48]
        .map(
          (at) => `
        ${set('x', load('left', at))} ${set('y', load('right', at))}
        ${set('low', `(i64x2.add ${get('low')} (i64x2.extmul_low_i32x4_s ${get('x')} ${get('y')}))`)}
        ${set('high', `(i64x2.add ${get('high')} (i64x2.extmul_high_i32x4_s ${get('x')} ${get('y')}))`)}`,
        )
        .join('')}
      ${advance('left', 64)} ${advance('right', 64)}
      ${whileBelow('next', 'left', 'end')})
    ${set('low', `(i64x2.add ${get('low')} ${get('high')})`)}
    (i64.rem_s
      (i64.add (i64x2.extract_lane 0 ${get('low')}) (i64x2.extract_lane 1 ${get('low')}))
      (i64.const ${Q})))`;

const dotShorts = `
  (func $dotShorts (param $left i32) (param $right i32) (result i32)
    ${declare('i32', ['end'])} ${declare('v128', ['even', 'odd'])}
    ${set('end', offsetBy('left', ROUNDED_BYTES))}
    (loop $next
      ${[0, 32]
        .map(
          (at) => `
        ${set('even', `(i32x4.add ${get('even')} (i32x4.dot_i16x8_s ${load('left', at)} ${load('right', at)}))`)}
        ${set('odd', `(i32x4.add ${get('odd')} (i32x4.dot_i16x8_s ${load('left', at + 16)} ${load('right', at + 16)}))`)}`,
        )
        .join('')}
      ${advance('left', 64)} ${advance('right', 64)}
      ${whileBelow('next', 'left', 'end')})
    ${set('even', add('even', 'odd'))}
    (i32.add
      (i32.add (i32x4.extract_lane 0 ${get('even')}) (i32x4.extract_lane 1 ${get('even')}))
      (i32.add (i32x4.extract_lane 2 ${get('even')}) (i32x4.extract_lane 3 ${get('even')}))))`;

/** Writes the constant coefficient of a product, modulo q, and the following zeros. */
const storeWord = (values: string, factor: string) => `
      ${store('out', '(v128.const i64x2 0 0)')}
      (i32.store ${get('out')} (i32.wrap_i64 (call $dotInts ${get(values)} ${get(factor)})))`;

/** Rows of the tokens in a list of places. */
const compare = `
  (func (export "compare") (param $list i32) (param $count i32) (param $d0 i32) (param $roots i32) (param $scratch i32)
    (param $out i32)
    ${declare('i32', ['end', 'c0', 'c1', 'd1'])}
    ${set('end', `(i32.add ${get('list')} (i32.shl ${get('count')} (i32.const 2)))`)}
    ${set('d1', offsetBy('d0', FACTOR_BYTES))}
    (block $done (loop $next
      (br_if $done (i32.ge_u ${get('list')} ${get('end')}))
      ${set('c0', `(i32.mul (i32.load ${get('list')}) (i32.const ${2 * POLYNOMIAL_BYTES}))`)}
      ${set('c1', offsetBy('c0', POLYNOMIAL_BYTES))}
      ${storeWord('c0', 'd0')}
      (call $multiplyRounded ${get('c1')} ${get('d0')} ${get('roots')} ${get('scratch')} ${offsetBy('out', ROW_LEFT_AT)})
      (call $multiplyRounded ${get('c0')} ${get('d1')} ${get('roots')} ${get('scratch')} ${offsetBy('out', ROW_RIGHT_AT)})
      (call $multiply ${get('c1')} ${get('d1')} ${offsetBy('out', ROW_PRODUCT_AT)})
      ${advance('list', 4)} ${advance('out', ROW_BYTES)}
      (br $next))))`;

/** One level of the forward transform. Sums grow by q per level: to 13q in total. */
const forwardLevel = (step: number) => `
    ${set('at', get('values'))}
    (loop $blocks${step}
      ${set('w', loadSplat('roots', 0))} ${set('wq', loadSplat('roots', 4))}
      ${advance('roots', 8)} ${set('end', offsetBy('at', step))}
      (loop $next${step}
        ${set('u', load('at'))} ${set('v', load('at', step))} ${multiply('v', 'v', 'w')}
        ${store('at', add('u', 'v'))} ${store('at', subtract('u', 'v'), step)}
        ${advance('at', 16)}
        ${whileBelow(`next${step}`, 'at', 'end')})
      ${advance('at', step)}
      ${whileBelow(`blocks${step}`, 'at', 'last')})`;

/** Reduces from slightly more to q/2 at most, because larger companions would not fit. */
const center = (name: string) => {
  const half = (Q - 1) / 2;
  const ifBeyond = (comparison: string) => `(v128.and ${get('q')} ${comparison})`;
  return `
      ${set(name, `(i32x4.sub ${get(name)} ${ifBeyond(`(i32x4.gt_s ${get(name)} ${splat(half)})`)})`)}
      ${set(name, `(i32x4.add ${get(name)} ${ifBeyond(`(i32x4.lt_s ${get(name)} ${splat(-half)})`)})`)}`;
};

/** 2^32/q is 64 and a fraction below 1/256. */
const companionOf = (name: string) =>
  `(i32x4.add (i32x4.shl ${get(name)} (i32.const ${32 - Q_BITS})) ${multiplyHigh(name, 'fraction')})`;
const FRACTION = Math.round(2 ** 32 * (2 ** 32 / Q - 2 ** (32 - Q_BITS)));

const FORWARD_STEPS = [4096, 2048, 1024, 512, 256, 128, 64, 32, 16];

/** The last two levels: sixteen values of four blocks at a time. */
const lastForwardLevels = `
    ${set('at', get('values'))}
    (loop $lasts
      ${LETTERS.map((name, at) => set(name, load('at', at * 16))).join(' ')}
      ${transpose()}
      ${ROOT_NAMES.map((name, at) => set(name, load('roots', at * 16))).join(' ')} ${advance('roots', 96)}
      ${multiply('C', 'C', 'w1')} ${multiply('D', 'D', 'w1')}
      ${set('s', subtract('A', 'C'))} ${set('A', add('A', 'C'))} ${set('C', get('s'))}
      ${set('s', subtract('B', 'D'))} ${set('B', add('B', 'D'))} ${set('D', get('s'))}
      ${multiply('B', 'B', 'w2')} ${multiply('D', 'D', 'w3')}
      ${set('s', subtract('A', 'B'))} ${set('A', add('A', 'B'))} ${set('B', get('s'))}
      ${set('s', subtract('C', 'D'))} ${set('C', add('C', 'D'))} ${set('D', get('s'))}
      ${LETTERS.map((name) => `${reduce(name)} ${center(name)}`).join(' ')}
      ${transpose()}
      ${LETTERS.map((name, at) => `${store('at', get(name), at * 16)} ${store('at', companionOf(name), POLYNOMIAL_BYTES + at * 16)}`).join(' ')}
      ${advance('at', 64)}
      ${whileBelow('lasts', 'at', 'last')})`;

/** Transforms coefficients to values in place, and appends the companions. */
const makeFactor = `
  (func $makeFactor (export "makeFactor") (param $values i32) (param $roots i32)
    ${declare('i32', ['at', 'end', 'last'])} ${declare('v128', [...STEP_NAMES, 'w', 'wq', 'u', 'v', 'x0', 'x1', 'x2', 'x3', 'fraction'])}
    ${set('q', splat(Q))} ${set('fraction', splat(FRACTION))} ${set('last', offsetBy('values', POLYNOMIAL_BYTES))}
    ${FORWARD_STEPS.map(forwardLevel).join('')}
    ${lastForwardLevels})`;

/** The projection of a token on a polynomial, given as coefficients, which becomes a factor. */
const project = `
  (func (export "project") (param $token i32) (param $direction i32) (param $forwardRoots i32) (param $roots i32)
    (param $scratch i32) (param $out i32)
    (call $makeFactor ${get('direction')} ${get('forwardRoots')})
    ${storeWord('token', 'direction')}
    (call $multiplyRounded ${offsetBy('token', POLYNOMIAL_BYTES)} ${get('direction')} ${get('roots')} ${get('scratch')}
      ${offsetBy('out', PROJECTION_ROUNDED_AT)}))`;

/** Scores of rows times M²: both keys' shifted coefficients, then their product. */
const score = `
  (func (export "score") (param $rows i32) (param $count i32) (param $keys i32) (param $out i32)
    ${declare('i32', ['end'])} ${declare('f64', ['sum'])}
    ${set('end', `(i32.add ${get('rows')} (i32.mul ${get('count')} (i32.const ${ROW_BYTES})))`)}
    (block $done (loop $next
      (br_if $done (i32.ge_u ${get('rows')} ${get('end')}))
      ${set(
        'sum',
        `(f64.add
        (f64.convert_i64_s (i64.add (i64.load32_s ${get('rows')})
          (call $dotInts ${offsetBy('rows', ROW_PRODUCT_AT)} ${offsetBy('keys', 2 * ROUNDED_BYTES)})))
        (f64.mul (f64.const ${Q / ROUNDED_RANGE}) (f64.convert_i32_s (i32.add
          (call $dotShorts ${offsetBy('rows', ROW_LEFT_AT)} ${get('keys')})
          (call $dotShorts ${offsetBy('rows', ROW_RIGHT_AT)} ${offsetBy('keys', ROUNDED_BYTES)})))))`,
      )}
      (f64.store ${get('out')} (f64.sub ${get('sum')}
        (f64.mul (f64.nearest (f64.mul ${get('sum')} (f64.const ${1 / Q}))) (f64.const ${Q}))))
      ${advance('rows', ROW_BYTES)} ${advance('out', 8)}
      (br $next))))`;

/** Modules by file name. */
export const KERNELS = {
  'token-kernel.wasm': `(module
  (import "host" "memory" (memory 1 65536 shared))
  ${firstLevels} ${middleLevels} ${lastLevel} ${multiplyRounded} ${multiplyExactly}
  ${dotIntsOf('dotInts', POLYNOMIAL_BYTES)} ${dotIntsOf('dotQuarter', POLYNOMIAL_BYTES / 4)} ${dotShorts}
  ${compare} ${makeFactor} ${project} ${score} ${PACKED_FUNCTIONS}
)`,
} as const;
