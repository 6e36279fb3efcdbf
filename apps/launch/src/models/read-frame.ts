// Reads the pixels of a picture through a reused canvas.
import { createFrame, type Frame } from '@limen/face-geometry';

export type PixelReader = ReturnType<typeof createPixelReader>;

type Canvas = OffscreenCanvas | HTMLCanvasElement;

/** Works in a worker only if `canReadInWorker` returns true. */
export function createPixelReader(makeCanvas: () => Canvas) {
  let canvas: Canvas | undefined;
  let context: OffscreenCanvasRenderingContext2D | CanvasRenderingContext2D | null | undefined;

  return {
    /** Returns the pixels and closes the bitmap. */
    read(bitmap: ImageBitmap): Frame {
      try {
        canvas ??= makeCanvas();
        // Keeps the canvas in CPU memory, because it is read back every time.
        context ??= canvas.getContext('2d', { willReadFrequently: true }) as OffscreenCanvasRenderingContext2D | null;
        if (!context) throw new Error('The browser cannot read pixels');
        const { width, height } = bitmap;
        // Setting a size, even the same one, reallocates the canvas.
        if (canvas.width !== width) canvas.width = width;
        if (canvas.height !== height) canvas.height = height;
        context.drawImage(bitmap, 0, 0);
        return createFrame(width, height, context.getImageData(0, 0, width, height).data);
      } finally {
        bitmap.close();
      }
    },
    clear(): void {
      if (canvas) context?.clearRect(0, 0, canvas.width, canvas.height);
    },
  };
}

/** Safari before 16.4 has OffscreenCanvas but not its 2D context. */
export function canReadInWorker(): boolean {
  try {
    return typeof OffscreenCanvas !== 'undefined' && new OffscreenCanvas(1, 1).getContext('2d') !== null;
  } catch {
    return false;
  }
}
