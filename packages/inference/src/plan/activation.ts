// The activation of a layer, applied before its result is stored.
import type { GraphNode } from '../onnx/read-graph.ts';
import { findNumber } from '../plain/operators.ts';
import type { Value } from './values.ts';
import { spreadOverChannels, type Workshop } from './workshop.ts';

export interface Activation {
  slopesAt: number;
  most: number;
}

export function leaveAsItIs(shop: Workshop, channels: number): Activation {
  return { slopesAt: shop.keepUniform(1, channels), most: Number.POSITIVE_INFINITY };
}

/** Returns undefined if the node is no activation or not known yet. */
export function readActivation(
  shop: Workshop,
  node: GraphNode,
  [, first, second]: readonly (Value | undefined)[],
  channels: number,
): Activation | undefined {
  switch (node.operator) {
    case 'Relu':
      return { slopesAt: shop.keepUniform(0, channels), most: Number.POSITIVE_INFINITY };
    case 'Clip': {
      const least = readLimit(first, findNumber(node, 'min', Number.NEGATIVE_INFINITY));
      const most = readLimit(second, findNumber(node, 'max', Number.POSITIVE_INFINITY));
      return least === 0 && most !== undefined ? { slopesAt: shop.keepUniform(0, channels), most } : undefined;
    }
    case 'PRelu': {
      if (first?.kind !== 'constant') return undefined;
      const slopes = spreadOverChannels(first, channels);
      return { slopesAt: shop.keepValues(slopes), most: Number.POSITIVE_INFINITY };
    }
    default:
      return undefined;
  }
}

/** An input in newer files, an attribute in older ones. */
function readLimit(input: Value | undefined, otherwise: number): number | undefined {
  if (!input) return otherwise;
  return input.kind === 'constant' ? input.read().values[0] : undefined;
}
