// Streams a drawn person or card in place of the camera.

export function standIn(video: HTMLVideoElement): void {
  const { canvas, context, fill } = openCanvas(480, 640);
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

/** On a dark table, slightly rotated. */
export function standInCard(video: HTMLVideoElement): void {
  const { canvas, context, fill } = openCanvas(700, 500);
  fill('#4a4039', () => context.rect(0, 0, 700, 500));
  context.translate(350, 250);
  context.rotate(0.03);
  fill('#dfe6ea', () => context.roundRect(-270, -170, 540, 340, 22));
  fill('#9fb0bd', () => context.rect(-240, -130, 110, 140));
  for (const y of [-120, -90, -60]) fill('#76858f', () => context.rect(-100, y, 220, 9));
  for (const y of [50, 85, 120]) {
    for (let x = -245; x < 240; x += 17) fill('#22262a', () => context.rect(x, y, 10, 14));
  }
  video.srcObject = canvas.captureStream(0);
}

function openCanvas(width: number, height: number) {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [width, height];
  const context = canvas.getContext('2d')!;
  const fill = (color: string, draw: () => void) => {
    context.fillStyle = color;
    context.beginPath();
    draw();
    context.fill();
  };
  return { canvas, context, fill };
}
