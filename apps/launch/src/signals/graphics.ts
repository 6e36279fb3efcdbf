// Which renderer draws for the page.
import type { BrowserFacts } from './browser-facts.ts';

/** Constants of WebGL and of its extension WEBGL_debug_renderer_info. */
const RENDERER = 0x1f01;
const UNMASKED_RENDERER = 0x9246;

const SOFTWARE = /swiftshader|llvmpipe|softpipe|lavapipe|basic render driver|mesa offscreen|software rasterizer/i;

/** Null without WebGL; empty when the browser does not tell. */
export function readRenderer({ document }: BrowserFacts): string | null {
  const graphics = document.createElement('canvas').getContext('webgl');
  if (graphics === null) return null;
  // Firefox tells at once and warns of the extension in its console; the others answer with a stand-in.
  const plain = String(graphics.getParameter(RENDERER) ?? '');
  const masked = plain === '' || plain === 'WebKit WebGL';
  const renderer =
    masked && graphics.getExtension('WEBGL_debug_renderer_info')
      ? String(graphics.getParameter(UNMASKED_RENDERER) ?? '')
      : plain;
  // Phones allow a page few of these at a time, and the models may want one.
  const release = graphics.getExtension('WEBGL_lose_context') as { loseContext?(): void } | null;
  release?.loseContext?.();
  return renderer;
}

export function isSoftwareRenderer(renderer: string): boolean {
  return SOFTWARE.test(renderer);
}
