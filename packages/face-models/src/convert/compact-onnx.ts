// Stores the large weights of an ONNX file as small integers, which widen-onnx.ts converts back to
// floats.
import { compact, encodeFloat32, encodeSteps } from './encode-values.ts';
import { type Field, findText, GRAPH, NODE, OF_NODE, OF_TENSOR, readMessage, readText, TENSOR } from './onnx-reader.ts';
import { ELEMENT_TYPES, encodeBytes, encodeNode, encodeTensor, joinBytes } from './onnx-writer.ts';

/** Smaller tensors, such as biases and slopes, save little, and their rounding matters. */
const MIN_VALUES = 500;

interface FloatTensor {
  name: string;
  dims: readonly number[];
  values: Float32Array;
}

/** Keeps everything except the weights of convolutions and matrices byte for byte. */
export function compactOnnx(content: Uint8Array, bits: 8 | 16): Uint8Array {
  const parts = readMessage(content).map((field) =>
    field.number === GRAPH ? encodeBytes(GRAPH, compactGraph(readMessage(field.content), bits)) : field.whole,
  );
  return joinBytes(parts);
}

function compactGraph(graph: readonly Field[], bits: 8 | 16): Uint8Array[] {
  const axes = findOutputAxes(graph);
  const type = bits === 8 ? 'int8' : 'int16';
  const widening: Uint8Array[] = [];
  const kept = graph.flatMap((field) => {
    const weight = field.number === TENSOR ? readWeight(field) : undefined;
    const axis = weight && axes.get(weight.name);
    if (!weight || axis === undefined || weight.values.length < MIN_VALUES) return [field.whole];
    const { name, dims, values } = weight;
    const at = axis < 0 ? dims.length + axis : axis;
    const channels = dims[at]!;
    const inner = dims.slice(at + 1).reduce((product, size) => product * size, 1);
    const compacted = compact(values, bits, channels, (index) => Math.floor(index / inner) % channels);
    const [steps, wide, factor] = [`${name}/steps`, `${name}/wide`, `${name}/factor`];
    const along = dims.map((size, position) => (position === at ? size : 1));
    const cast = encodeNode({
      operator: 'Cast',
      inputs: [steps],
      output: wide,
      attributes: { to: ELEMENT_TYPES.float32 },
    });
    const scale = encodeNode({ operator: 'Mul', inputs: [wide, factor], output: name });
    widening.push(encodeBytes(NODE, cast), encodeBytes(NODE, scale));
    return [
      encodeBytes(TENSOR, encodeTensor({ name: steps, dims, type, data: encodeSteps(compacted.steps, type) })),
      encodeBytes(
        TENSOR,
        encodeTensor({ name: factor, dims: along, type: 'float32', data: encodeFloat32(compacted.factors) }),
      ),
    ];
  });
  // Nodes must follow what they read.
  return [...widening, ...kept];
}

/** Finds the output axis of the weights of convolutions and matrices. */
function findOutputAxes(graph: readonly Field[]): Map<string, number> {
  const axes = new Map<string, number>();
  for (const { number, content } of graph) {
    if (number !== NODE) continue;
    const node = readMessage(content);
    const inputs = node.filter((field) => field.number === OF_NODE.input).map(readText);
    const axis = findOutputAxis(findText(node, OF_NODE.operator), node);
    if (axis !== undefined && inputs[1] !== undefined) axes.set(inputs[1], axis);
  }
  return axes;
}

function findOutputAxis(operator: string, node: readonly Field[]): number | undefined {
  if (operator === 'Conv') return 0;
  if (operator === 'MatMul') return -1;
  if (operator !== 'Gemm') return undefined;
  const attributes = node
    .filter(({ number }) => number === OF_NODE.attribute)
    .map(({ content }) => readMessage(content));
  const isTurned = attributes.some(
    (fields) => findText(fields, 1) === 'transB' && fields.some((field) => field.number === 3 && field.value === 1),
  );
  return isTurned ? 0 : -1;
}

/** Returns undefined unless the tensor holds raw floats. */
function readWeight({ content }: Field): FloatTensor | undefined {
  const fields = readMessage(content);
  const raw = fields.find(({ number }) => number === OF_TENSOR.raw)?.content;
  const type = fields.find(({ number }) => number === OF_TENSOR.type)?.value;
  const dims = fields.filter(({ number }) => number === OF_TENSOR.dims).map(({ value }) => value);
  const size = dims.reduce((product, dim) => product * dim, 1);
  if (type !== ELEMENT_TYPES.float32 || raw?.length !== size * 4) return undefined;
  const view = new DataView(raw.buffer, raw.byteOffset, raw.byteLength);
  const values = Float32Array.from({ length: size }, (_, index) => view.getFloat32(index * 4, true));
  return { name: findText(fields, OF_TENSOR.name), dims, values };
}
