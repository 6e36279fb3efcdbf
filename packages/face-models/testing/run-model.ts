// Runs a model with onnxruntime-web on one thread, like the page.
import { env, InferenceSession, Tensor } from 'onnxruntime-web';

env.wasm.numThreads = 1;

export interface RunnableModel {
  /** Returns the values of the only output for each image. */
  run(images: readonly Float32Array[], side: number): Promise<Float32Array>;
  /** Runs on values of any shape. */
  feed(values: Float32Array, shape: readonly number[]): Promise<Float32Array>;
  /** Names and shapes of the inputs and outputs. */
  describe(): string[];
}

export async function loadModel(model: Uint8Array): Promise<RunnableModel> {
  const session = await InferenceSession.create(model);
  const sides = [...session.inputMetadata, ...session.outputMetadata];
  const feed: RunnableModel['feed'] = async (values, shape) => {
    const output = await session.run({ [session.inputNames[0]!]: new Tensor('float32', values, shape) });
    return output[session.outputNames[0]!]!.data as Float32Array;
  };
  return {
    feed,
    async run(images, side) {
      const pixels = new Float32Array(images.reduce((sum, image) => sum + image.length, 0));
      let offset = 0;
      for (const image of images) {
        pixels.set(image, offset);
        offset += image.length;
      }
      const channels = images[0]!.length / (side * side);
      return feed(pixels, [images.length, channels, side, side]);
    },
    describe: () =>
      sides.map((value) => `${value.name} ${value.isTensor ? `${value.type} ${value.shape.join('×')}` : '?'}`),
  };
}
