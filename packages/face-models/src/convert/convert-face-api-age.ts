// Converts face-api's small age network (a reduced Xception) to ONNX without its gender head.
import { type Layer, Network } from './network.ts';
import { parseWeights } from './tfjs-weights.ts';

/** `description`: the weights manifest. Only the package's code has the structure. */
export function convertFaceApiAge(description: Buffer, content: Buffer): Uint8Array {
  const weights = parseWeights(JSON.parse(description.toString('utf8')), content);
  const network = new Network({ name: 'face-api-age', side: 112 });

  const convolve = (name: string, from: Layer, stride: number) =>
    network.convolve(name, from, {
      filter: weights.get(`${name}/filters`),
      bias: weights.get(`${name}/bias`),
      stride,
    });

  function separate(name: string, from: Layer): Layer {
    const filter = weights.get(`${name}/depthwise_filter`);
    const spread = network.convolve(`${name}/depthwise`, from, { filter, perChannel: true });
    return network.convolve(name, spread, {
      filter: weights.get(`${name}/pointwise_filter`),
      bias: weights.get(`${name}/bias`),
    });
  }

  function reduce(name: string, from: Layer, activated: Layer): Layer {
    const first = separate(`${name}/separable_conv0`, activated);
    const second = separate(`${name}/separable_conv1`, network.relu(first));
    const pooled = network.maxPool(`${name}/pool`, second, 3, 2);
    return network.add(name, pooled, convolve(`${name}/expansion_conv`, from, 2));
  }

  function refine(name: string, from: Layer): Layer {
    let layer = from;
    for (const step of [0, 1, 2]) layer = separate(`${name}/separable_conv${step}`, network.relu(layer));
    return network.add(name, layer, from);
  }

  let layer = network.relu(convolve('entry_flow/conv_in', network.input, 2));
  layer = reduce('entry_flow/reduction_block_0', layer, layer);
  layer = reduce('entry_flow/reduction_block_1', layer, network.relu(layer));
  layer = refine('middle_flow/main_block_0', layer);
  layer = refine('middle_flow/main_block_1', layer);
  layer = reduce('exit_flow/reduction_block', layer, network.relu(layer));
  layer = network.relu(separate('exit_flow/separable_conv', layer));
  const age = network.connect('age', network.average(layer), weights.get('fc/age/weights'), weights.get('fc/age/bias'));
  return network.write(age, 1);
}
