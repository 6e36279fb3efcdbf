// A page with nothing but the face engine, for tests and measurements in a browser.
import { createFaceEngine } from '../../src/models/face-engine.ts';

declare global {
  interface Window {
    createFaceEngine: typeof createFaceEngine;
  }
}

window.createFaceEngine = createFaceEngine;
