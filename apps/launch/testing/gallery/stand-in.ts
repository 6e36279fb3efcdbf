// A drawn person in place of the camera: as the real one would, through a stream.

export function standIn(video: HTMLVideoElement): void {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [480, 640];
  const context = canvas.getContext('2d')!;
  const fill = (colour: string, draw: () => void) => {
    context.fillStyle = colour;
    context.beginPath();
    draw();
    context.fill();
  };
  fill('#b9c4cc', () => context.rect(0, 0, 480, 640));
  fill('#5d6f86', () => context.ellipse(240, 650, 210, 160, 0, 0, 7));
  fill('#c99a7c', () => context.rect(196, 420, 88, 100));
  fill('#3b2c26', () => context.ellipse(240, 270, 142, 170, 0, 0, 7));
  fill('#d8ab8c', () => context.ellipse(240, 310, 118, 152, 0, 0, 7));
  fill('#2a2422', () => context.ellipse(196, 296, 11, 8, 0, 0, 7));
  fill('#2a2422', () => context.ellipse(284, 296, 11, 8, 0, 0, 7));
  fill('#a85f55', () => context.ellipse(240, 396, 34, 10, 0, 0, 7));
  video.srcObject = canvas.captureStream(0);
}
