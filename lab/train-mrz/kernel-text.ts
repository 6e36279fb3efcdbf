// WebAssembly text of the routine that dominates training: a matrix product with strides.

/** A tile of `rows` × `vectors` · 4 results stays in registers while it is summed. */
function writeTile(rows: number, vectors: number): string {
  const range = (count: number) => [...Array(count).keys()];
  const cells = range(rows).flatMap((row) =>
    range(vectors).map((vector) => ({ row, vector, name: `$s${row}${vector}` })),
  );
  const at = (pointer: string, stride: string, row: number) =>
    row === 0 ? pointer : `(i32.add ${pointer} (i32.mul (i32.const ${row}) ${stride}))`;
  return `
    ${cells
      .map(
        ({ row, vector, name }) =>
          `(local.set ${name} (v128.load offset=${vector * 16} (i32.add ${at('(local.get $ip)', '(local.get $iRow)', row)} (local.get $column))))`,
      )
      .join('\n    ')}
    (local.set $bp (i32.add (local.get $b) (local.get $column)))
    ${range(rows)
      .map((row) => `(local.set $a${row} ${at('(local.get $ap)', '(local.get $aRow)', row)})`)
      .join('\n    ')}
    (local.set $left (local.get $k))
    (loop $sum
      ${range(vectors)
        .map((vector) => `(local.set $v${vector} (v128.load offset=${vector * 16} (local.get $bp)))`)
        .join('\n      ')}
      ${range(rows)
        .map(
          (row) => `(local.set $x (v128.load32_splat (local.get $a${row})))
      ${range(vectors)
        .map(
          (vector) =>
            `(local.set $s${row}${vector} (f32x4.relaxed_madd (local.get $x) (local.get $v${vector}) (local.get $s${row}${vector})))`,
        )
        .join('\n      ')}
      (local.set $a${row} (i32.add (local.get $a${row}) (local.get $aColumn)))`,
        )
        .join('\n      ')}
      (local.set $bp (i32.add (local.get $bp) (local.get $bRow)))
      (br_if $sum (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))
    ${cells
      .map(
        ({ row, vector, name }) =>
          `(v128.store offset=${vector * 16} (i32.add ${at('(local.get $cp)', '(local.get $cRow)', row)} (local.get $column)) (local.get ${name}))`,
      )
      .join('\n    ')}
    (local.set $column (i32.add (local.get $column) (i32.const ${vectors * 16})))`;
}

/**
 * c = i + a × b, with c of m × n values. All positions and strides are in bytes. a may be read
 * along either side, its rows may overlap, and i with a stride of 0 is one row for all. m is a
 * multiple of 4, n of 8, and k is not 0.
 */
export const MULTIPLY_TEXT = `(module
  (import "host" "memory" (memory 1 65536 shared))
  (func (export "multiply")
    (param $a i32) (param $aRow i32) (param $aColumn i32) (param $b i32) (param $bRow i32)
    (param $c i32) (param $cRow i32) (param $i i32) (param $iRow i32) (param $m i32) (param $n i32) (param $k i32)
    (local $row i32) (local $column i32) (local $width i32) (local $left i32)
    (local $ap i32) (local $bp i32) (local $cp i32) (local $ip i32)
    (local $a0 i32) (local $a1 i32) (local $a2 i32) (local $a3 i32) (local $x v128)
    (local $v0 v128) (local $v1 v128) (local $v2 v128) (local $v3 v128)
    ${[0, 1, 2, 3].map((row) => [0, 1, 2, 3].map((vector) => `(local $s${row}${vector} v128)`).join(' ')).join('\n    ')}
    (local.set $width (i32.mul (local.get $n) (i32.const 4)))
    (local.set $ap (local.get $a))
    (local.set $cp (local.get $c))
    (local.set $ip (local.get $i))
    (loop $rows
      (local.set $column (i32.const 0))
      (block $wideEnd
        (loop $wide
          (br_if $wideEnd (i32.gt_u (i32.add (local.get $column) (i32.const 64)) (local.get $width)))
          ${writeTile(4, 4)}
          (br $wide)))
      (if (i32.lt_u (local.get $column) (local.get $width)) (then ${writeTile(4, 2)}))
      (local.set $ap (i32.add (local.get $ap) (i32.mul (i32.const 4) (local.get $aRow))))
      (local.set $cp (i32.add (local.get $cp) (i32.mul (i32.const 4) (local.get $cRow))))
      (local.set $ip (i32.add (local.get $ip) (i32.mul (i32.const 4) (local.get $iRow))))
      (br_if $rows (i32.lt_u (local.tee $row (i32.add (local.get $row) (i32.const 4))) (local.get $m))))))
`;
