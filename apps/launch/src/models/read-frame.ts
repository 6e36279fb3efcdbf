// Reads the pixels of a picture through a canvas that is used again and again.
import { createFrame, type Frame } from '@limen/face-geometry';

export type PixelReader = ReturnType<typeof createPixelReader>;

type Canvas = OffscreenCanvas | HTMLCanvasElement;

/** In a worker only where `canReadInWorker` says so. */
export function createPixelReader(makeCanvas: () => Canvas) {
  let canvas: Canvas | undefined;
  let context: OffscreenCanvasRenderingContext2D | CanvasRenderingContext2D | null | undefined;

  return {
    /** Closes the bitmap. */
    read(bitmap: ImageBitmap): Frame {
      try {
        canvas ??= makeCanvas();
        // Read every time: better kept where the processor can reach it.
        context ??= canvas.getContext('2d', { willReadFrequently: true }) as OffscreenCanvasRenderingContext2D | null;
        if (!context) throw new Error('The browser cannot read pixels');
        const { width, height } = bitmap;
        // Setting a size, even the same one, throws the canvas's memory away.
        if (canvas.width !== width) canvas.width = width;
        if (canvas.height !== height) canvas.height = height;
        context.drawImage(bitmap, 0, 0);
        return createFrame(width, height, context.getImageData(0, 0, width, height).data);
      } finally {
        bitmap.close();
      }
    },
    /** Leaves nothing of the last picture in the canvas. */
    clear(): void {
      if (canvas) context?.clearRect(0, 0, canvas.width, canvas.height);
    },
  };
}

/** Safari before 16.4 has the canvas, but not this context of it. */
export function canReadInWorker(): boolean {
  try {
    return typeof OffscreenCanvas !== 'undefined' && new OffscreenCanvas(1, 1).getContext('2d') !== null;
  } catch {
    return false;
  }
}
