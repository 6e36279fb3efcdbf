// Converts human-models' faceres-deep (a MobileNet with an age head) to ONNX, with only its age
// output.
import { type Layer, Network } from './network.ts';
import { type FloatWeight, parseWeights } from './tfjs-weights.ts';

const BLOCKS = 13;
const AGES = 100;

interface GraphModel {
  modelTopology: { node: GraphNode[] };
  weightsManifest: unknown;
}

interface GraphNode {
  name: string;
  attr?: { strides?: { list: { i: string[] } } };
}

/** `description`: a TensorFlow.js graph model. Folds its batch normalization into the filters. */
export function convertFaceresDeep(description: Buffer, content: Buffer): Uint8Array {
  const model = JSON.parse(description.toString('utf8')) as GraphModel;
  const weights = parseWeights(model.weightsManifest, content);
  const network = new Network({ name: 'faceres-deep-age', side: 224 });
  const nodes = new Map(model.modelTopology.node.map((node) => [node.name, node]));

  function findStride(name: string): number {
    const stride = nodes.get(name)?.attr?.strides?.list.i[1];
    if (stride === undefined) throw new Error(`there is no convolution named ${name}`);
    return Number(stride);
  }

  /** The package has merged the normalization factors into these filters. */
  function convolve(name: string, from: Layer): Layer {
    const layer = network.convolve(name, from, {
      filter: weights.floats(`${name}/convolution/merged_input`),
      bias: weights.floats(`${name}_bn/batchnorm_1/sub`),
      stride: findStride(`${name}_bn/batchnorm_1/mul_1`),
    });
    return network.relu6(layer);
  }

  function convolvePerChannel(name: string, from: Layer): Layer {
    const filter = weights.floats(`${name}/depthwise_kernel`);
    const layer = network.convolve(name, from, {
      filter: scaleChannels(filter, weights.floats(`${name}_bn/batchnorm_1/mul`).values),
      perChannel: true,
      bias: weights.floats(`${name}_bn/batchnorm_1/sub`),
      stride: findStride(`${name}/depthwise`),
    });
    return network.relu6(layer);
  }

  const connect = (name: string, from: Layer) =>
    network.connect(name, from, weights.floats(`${name}/kernel`), weights.floats(`${name}/bias`));

  checkLimits(nodes, (name) => weights.floats(name).values);
  let layer = convolve('conv1', network.input);
  for (let block = 1; block <= BLOCKS; block += 1)
    layer = convolve(`conv_pw_${block}`, convolvePerChannel(`conv_dw_${block}`, layer));
  const features = network.relu(connect('feats', network.average(layer)));
  return network.write(network.softmax('age', connect('age_pred', features)), AGES);
}

/** The last dimension is 1, so channels are adjacent. */
function scaleChannels(filter: FloatWeight, factors: Float32Array): FloatWeight {
  const values = filter.values.map((value, index) => value * factors[index % factors.length]!);
  return { ...filter, values };
}

/** Checks that every activation is limited to 6, a constant in the graph. */
function checkLimits(nodes: ReadonlyMap<string, GraphNode>, read: (name: string) => Float32Array): void {
  for (const name of nodes.keys())
    if (name.endsWith('_relu/Cast') && read(name)[0] !== 6) throw new Error(`${name} is not 6`);
}
