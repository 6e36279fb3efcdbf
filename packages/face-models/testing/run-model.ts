// Runs a model as the page does, with the same runtime in WebAssembly, on one thread.
import { env, InferenceSession, Tensor } from 'onnxruntime-web';

env.wasm.numThreads = 1;

export interface RunnableModel {
  /** The values of the only output, of each image one after the other. */
  run(images: readonly Float32Array[], side: number): Promise<Float32Array>;
  /** Names and shapes of the inputs and outputs. */
  describe(): string[];
}

export async function loadModel(model: Uint8Array): Promise<RunnableModel> {
  const session = await InferenceSession.create(model);
  const values = [...session.inputMetadata, ...session.outputMetadata];
  return {
    async run(images, side) {
      const pixels = new Float32Array(images.reduce((sum, image) => sum + image.length, 0));
      let offset = 0;
      for (const image of images) {
        pixels.set(image, offset);
        offset += image.length;
      }
      const channels = images[0]!.length / (side * side);
      const input = new Tensor('float32', pixels, [images.length, channels, side, side]);
      const output = await session.run({ [session.inputNames[0]!]: input });
      return output[session.outputNames[0]!]!.data as Float32Array;
    },
    describe: () =>
      values.map((value) => `${value.name} ${value.isTensor ? `${value.type} ${value.shape.join('×')}` : '?'}`),
  };
}
