// The kernel's part for blocks of four people, in WebAssembly text. kernel-text.ts includes it.
import { BLOCK_ROUNDED_AT, BLOCK_ROW_BYTES, BLOCK_WORDS_AT } from '../packed/blinded-blocks.ts';
import { BLOCK_PEOPLE, FOLDED_LENGTH } from '../packed/fold.ts';
import { Q, RING_DEGREE, ROUNDED_RANGE } from '../parameters.ts';
import { center, power, rootsOfUnity } from '../ring.ts';
import { BLOCK_NONCE_AT, BLOCK_PRODUCT_AT, PLACE_BYTES } from './factor.ts';
import { advance, declare, get, load, offsetBy, set, store, whileBelow } from './wat.ts';

const PLACES = Array.from({ length: BLOCK_PEOPLE }, (_, place) => place);
const QUARTER_BYTES = 4 * FOLDED_LENGTH;
const ROUNDED_BYTES = 2 * RING_DEGREE;

/** Inverse of the root: the tables are in bit-reversed order, and 1 reversed is n/2. */
const INVERSE_ROOT = rootsOfUnity().inverse[RING_DEGREE / 2]!;

/**
 * The coefficient at 512·k of a polynomial in NTT form is the sum over j of value j times the
 * root's power -512·k·(2·reverse(j) + 1), over n. That depends only on reverse(j) modulo 4, the
 * quarter of j. Four sums of a quarter each thus give all four coefficients.
 */
function weightOf(place: number, quarter: number): number {
  const reversed = (quarter >> 1) | ((quarter & 1) << 1);
  return center(power(INVERSE_ROOT, FOLDED_LENGTH * place * (2 * reversed + 1)));
}

const copyRounded = `
      ${set('from', offsetBy('block', BLOCK_PRODUCT_AT))} ${set('to', offsetBy('out', BLOCK_ROUNDED_AT))}
      ${set('copied', offsetBy('from', ROUNDED_BYTES))}
      (loop $copy
        ${[0, 16, 32, 48].map((at) => store('to', load('from', at), at)).join(' ')}
        ${advance('from', 64)} ${advance('to', 64)}
        ${whileBelow('copy', 'from', 'copied')})`;

const compareBlocks = `
  (func (export "compareBlocks") (param $list i32) (param $count i32) (param $probe i32) (param $out i32)
    ${declare('i32', ['end', 'block', 'from', 'to', 'copied'])} ${declare(
      'i64',
      PLACES.map((quarter) => `sum${quarter}`),
    )}
    ${set('end', `(i32.add ${get('list')} (i32.shl ${get('count')} (i32.const 2)))`)}
    (block $done (loop $next
      (br_if $done (i32.ge_u ${get('list')} ${get('end')}))
      ${set('block', `(i32.mul (i32.load ${get('list')}) (i32.const ${PLACE_BYTES}))`)}
      ${store('out', load('block', BLOCK_NONCE_AT))}
      ${PLACES.map((quarter) =>
        set(
          `sum${quarter}`,
          `(call $dotQuarter ${offsetBy('block', quarter * QUARTER_BYTES)} ${offsetBy('probe', quarter * QUARTER_BYTES)})`,
        ),
      ).join(' ')}
      ${PLACES.map((place) => {
        const terms = PLACES.map(
          (quarter) => `(i64.mul ${get(`sum${quarter}`)} (i64.const ${weightOf(place, quarter)}))`,
        );
        const sum = terms.reduce((left, right) => `(i64.add ${left} ${right})`);
        return `(i32.store offset=${BLOCK_WORDS_AT + 4 * place} ${get('out')} (i32.wrap_i64 (i64.rem_s ${sum} (i64.const ${Q}))))`;
      }).join(' ')}
      ${copyRounded}
      ${advance('list', 4)} ${advance('out', BLOCK_ROW_BYTES)}
      (br $next))))`;

/** Bytes of a stream that mark coefficients 1, and those that mark -1. Both together mean 0. */
const SIGN_BYTES = RING_DEGREE / 8;
const STREAM_BYTES = 2 * SIGN_BYTES;

/** -1 if the byte has its bit, eight lanes from one byte. */
const bitsAt = (offset: number) =>
  `(i16x8.eq (v128.and (v128.load8_splat offset=${offset} ${get('stream')}) ${get('bits')}) ${get('bits')})`;

const addDot = (place: number, values: string, offset: number) =>
  set(`sum${place}`, `(i32x4.add ${get(`sum${place}`)} (i32x4.dot_i16x8_s ${get(values)} ${load('table', offset)}))`);

const scoreBlocks = `
  (func (export "scoreBlocks") (param $rows i32) (param $count i32) (param $streams i32) (param $tables i32) (param $out i32)
    ${declare('i32', ['end', 'at', 'last', 'stream', 'table'])} ${declare('f64', ['score'])}
    ${declare('v128', ['bits', 'key', 'product', ...PLACES.map((place) => `sum${place}`)])}
    ${set('bits', '(v128.const i16x8 1 2 4 8 16 32 64 128)')}
    ${set('end', `(i32.add ${get('rows')} (i32.mul ${get('count')} (i32.const ${BLOCK_ROW_BYTES})))`)}
    (block $done (loop $next
      (br_if $done (i32.ge_u ${get('rows')} ${get('end')}))
      ${PLACES.map((place) => set(`sum${place}`, '(v128.const i64x2 0 0)')).join(' ')}
      ${set('at', offsetBy('rows', BLOCK_ROUNDED_AT))} ${set('last', offsetBy('at', ROUNDED_BYTES))}
      ${set('stream', get('streams'))} ${set('table', get('tables'))}
      (loop $eight
        ${set('key', `(i16x8.sub ${bitsAt(SIGN_BYTES)} ${bitsAt(0)})`)} ${set('product', load('at'))}
        ${PLACES.map((place) => addDot(place, 'key', place * ROUNDED_BYTES)).join(' ')}
        ${PLACES.map((place) => addDot(place, 'product', (BLOCK_PEOPLE + place) * ROUNDED_BYTES)).join(' ')}
        ${advance('at', 16)} ${advance('stream', 1)} ${advance('table', 16)}
        ${whileBelow('eight', 'at', 'last')})
      ${PLACES.map((place) => {
        const lanes = PLACES.map((lane) => `(i32x4.extract_lane ${lane} ${get(`sum${place}`)})`);
        const sum = lanes.reduce((left, right) => `(i32.add ${left} ${right})`);
        return `
      ${set(
        'score',
        `(f64.add (f64.convert_i32_s (i32.load offset=${BLOCK_WORDS_AT + 4 * place} ${get('rows')}))
          (f64.mul (f64.const ${Q / ROUNDED_RANGE}) (f64.convert_i32_s ${sum})))`,
      )}
      (f64.store offset=${8 * place} ${get('out')} (f64.sub ${get('score')}
        (f64.mul (f64.nearest (f64.mul ${get('score')} (f64.const ${1 / Q}))) (f64.const ${Q}))))`;
      }).join(' ')}
      ${advance('rows', BLOCK_ROW_BYTES)} ${advance('streams', STREAM_BYTES)} ${advance('out', 8 * BLOCK_PEOPLE)}
      (br $next))))`;

export const PACKED_FUNCTIONS = `${compareBlocks} ${scoreBlocks}`;
