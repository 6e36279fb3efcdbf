// A page with only a camera, under the launch page's policy: gives Node the test camera's frames.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createFrame, type Frame } from '@limen/face-geometry';
import { decode } from 'jpeg-js';
import type { Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { launchBrowser } from '../../../server/testing/browser.ts';
import { type CameraDriver, type CameraOptions, createTestCamera } from './test-camera.ts';

const HTML = '<!doctype html><title>Camera</title><main data-prompt="guide.ready"><video muted></video></main>';
const POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; worker-src 'self'";

/** Returns the name of the error, or an empty string. */
const openFacing = (
  facing: string,
) => `navigator.mediaDevices.getUserMedia({ video: { facingMode: '${facing}' } }).then(
  async (stream) => {
    const video = document.querySelector('video');
    video.srcObject = stream;
    stream.getVideoTracks()[0].addEventListener('ended', () => document.body.dataset.ended = 'true');
    await video.play();
    return '';
  },
  (error) => error.name,
)`;
const GRAB = `(() => {
  const video = document.querySelector('video');
  const canvas = Object.assign(document.createElement('canvas'), { width: video.videoWidth, height: video.videoHeight });
  canvas.getContext('2d').drawImage(video, 0, 0);
  return [canvas.toDataURL('image/jpeg', 0.95).split(',')[1], performance.now()];
})()`;

export interface BlankPage {
  page: Page;
  camera: CameraDriver;
  open(facing?: 'user' | 'environment'): Promise<string>;
  grab(): Promise<{ frame: Frame; atMs: number }>;
  /** Sets the prompt, as the launch page does on its capture screen. */
  prompt(text: string): Promise<void>;
  askForSide(side: string): Promise<void>;
}

export async function openBlankPage(options: CameraOptions): Promise<BlankPage> {
  const browser = await launchBrowser();
  const context = await browser.newContext();
  const testCamera = await createTestCamera(options);
  await testCamera.install(context);
  const page = await context.newPage();
  await page.goto(await serveBlankPage());
  const tell = async (name: 'prompt' | 'side', text: string) => {
    await page.evaluate(`document.querySelector('main').dataset.${name} = ${JSON.stringify(text)}`);
  };
  return {
    page,
    camera: testCamera.drive(page),
    open: async (facing = 'user') => (await page.evaluate(openFacing(facing))) as string,
    grab: async () => {
      const [jpeg, atMs] = (await page.evaluate(GRAB)) as [string, number];
      const { width, height, data } = decode(Buffer.from(jpeg, 'base64'), { useTArray: true });
      return { frame: createFrame(width, height, new Uint8ClampedArray(data)), atMs };
    },
    prompt: (text) => tell('prompt', text),
    askForSide: (side) => tell('side', side),
  };
}

async function serveBlankPage(): Promise<string> {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html', 'content-security-policy': POLICY }).end(HTML);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
