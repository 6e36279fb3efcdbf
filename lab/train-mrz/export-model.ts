// Exports the trained parameters as an ONNX file for pages.

import { CLASSES, COLUMNS, LINE_HEIGHT, LINE_WIDTH } from '../../packages/documents/src/zone/alphabet.ts';
import { encodeFloat32 } from '../../packages/face-models/src/convert/encode-values.ts';
import { type OnnxNode, type OnnxTensor, writeOnnx } from '../../packages/face-models/src/convert/onnx-writer.ts';
import { countWeights, LAYERS, type LayerShape } from './network.ts';

export function exportModel(parameters: Float32Array): Uint8Array {
  const nodes: OnnxNode[] = [];
  const tensors: OnnxTensor[] = [];
  const addNode = (operator: string, inputs: string[], output: string, attributes?: OnnxNode['attributes']): string => {
    nodes.push({ operator, inputs, output, ...(attributes && { attributes }) });
    return output;
  };
  const addFloats = (name: string, dims: readonly number[], values: Float32Array): string => {
    tensors.push({ name, dims, type: 'float32', data: encodeFloat32(values) });
    return name;
  };

  // As ink, so that padding is paper.
  let at = addNode('Sub', [addFloats('white', [], Float32Array.of(1)), 'input'], 'ink');
  let offset = 0;
  for (const [index, layer] of LAYERS.entries()) {
    const weights = countWeights(layer);
    const kept = index === LAYERS.length - 1 ? CLASSES : layer.outputs;
    const filter = toFilter(parameters.subarray(offset, offset + weights), layer, kept);
    const biases = parameters.slice(offset + weights, offset + weights + kept);
    const name = `layer${index}`;
    const inputs = [
      at,
      addFloats(`${name}/filter`, [kept, layer.inputs, layer.kernelHeight, layer.kernelWidth], filter),
      addFloats(`${name}/bias`, [kept], biases),
    ];
    at = addNode('Conv', inputs, name, {
      kernel_shape: [layer.kernelHeight, layer.kernelWidth],
      pads: [layer.padTop, layer.padLeft, layer.padBottom, layer.kernelWidth - 1 - layer.padLeft],
    });
    if (layer.pool) at = addNode('Relu', [at], `${name}/relu`);
    if (layer.pool && layer.pool[0] > 1)
      at = addNode('MaxPool', [at], `${name}/pool`, { kernel_shape: layer.pool, strides: layer.pool });
    offset += weights + layer.outputs;
  }
  // Drops the height, which is 1 by now.
  addNode('ReduceMax', [at], 'logits', { axes: [2], keepdims: 0 });
  return writeOnnx({
    name: 'ocr-b',
    nodes,
    tensors,
    input: { name: 'input', dims: [1, 1, LINE_HEIGHT, LINE_WIDTH] },
    output: { name: 'logits', dims: [1, CLASSES, COLUMNS] },
  });
}

/** From rows, columns, inputs, outputs to ONNX's outputs, inputs, rows, columns. */
function toFilter(weights: Float32Array, layer: LayerShape, kept: number): Float32Array {
  const { kernelHeight, kernelWidth, inputs, outputs } = layer;
  const filter = new Float32Array(kernelHeight * kernelWidth * inputs * kept);
  const cells = kernelHeight * kernelWidth;
  for (let cell = 0; cell < cells; cell += 1)
    for (let input = 0; input < inputs; input += 1)
      for (let output = 0; output < kept; output += 1)
        filter[(output * inputs + input) * cells + cell] = weights[(cell * inputs + input) * outputs + output]!;
  return filter;
}
