// Reads protobuf messages field by field, as far as ONNX needs it, and preserves unknown fields
// byte for byte.

export interface Field {
  number: number;
  /** The whole encoded field, including its tag. */
  whole: Uint8Array;
  /** Content of a length-delimited field. */
  content: Uint8Array;
  value: number;
}

// Field numbers of onnx.proto: model, graph, node and tensor.
export const GRAPH = 7;
export const NODE = 1;
export const TENSOR = 5;
export const OF_NODE = { input: 1, output: 2, operator: 4, attribute: 5 };
export const OF_TENSOR = { dims: 1, type: 2, name: 8, raw: 9 };

const DECODER = new TextDecoder();
const NOTHING = new Uint8Array(0);
/** Maximum bytes of a 64-bit varint. */
const VARINT_BYTES = 10;
const FIXED_BYTES = new Map([
  [1, 8],
  [5, 4],
]);

export function readMessage(bytes: Uint8Array): Field[] {
  const fields: Field[] = [];
  let at = 0;

  function readNext(): number {
    const { value, end } = readVarint(bytes, at);
    at = end;
    return value;
  }

  while (at < bytes.length) {
    const start = at;
    const tag = readNext();
    const kind = tag % 8;
    let value = 0;
    let content: Uint8Array = NOTHING;
    if (kind === 0) value = readNext();
    else {
      const length = kind === 2 ? readNext() : FIXED_BYTES.get(kind);
      if (length === undefined) throw new Error(`a field has the unknown wire type ${kind}`);
      if (at + length > bytes.length) throw new Error('the file ends too soon');
      content = bytes.subarray(at, at + length);
      at += length;
    }
    fields.push({ number: Math.floor(tag / 8), whole: bytes.subarray(start, at), content, value });
  }
  return fields;
}

/** Exact below 2^53. */
export function readVarint(bytes: Uint8Array, at: number): { value: number; end: number } {
  let value = 0;
  for (let end = at, factor = 1; end < at + VARINT_BYTES; factor *= 128) {
    const byte = bytes[end];
    if (byte === undefined) throw new Error('the file ends too soon');
    end += 1;
    value += (byte & 127) * factor;
    if (byte < 128) return { value, end };
  }
  throw new Error('a number does not end');
}

export function findText(fields: readonly Field[], number: number): string {
  const field = fields.find((candidate) => candidate.number === number);
  return field ? readText(field) : '';
}

export function readText({ content }: Field): string {
  return DECODER.decode(content);
}
