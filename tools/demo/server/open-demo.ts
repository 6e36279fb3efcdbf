// Puts the demo together: the host application, and the page that shows what it does.

import type { PageFiles } from '../../../apps/server/src/platform/http/pages/files.ts';
import type { HttpServer } from '../../../apps/server/src/platform/http/types.ts';
import { createInjectFetch } from './inject-fetch.ts';
import { registerDemoRoutes } from './routes.ts';
import { createDemo, type Demo, type DemoOptions } from './service.ts';

interface OpenDemo extends DemoOptions {
  http: HttpServer;
  files: PageFiles;
}

export function openDemo(options: OpenDemo): Pick<Demo, 'nudge' | 'close'> {
  const { http, files, baseUrl } = options;
  const demo = createDemo(options, (address) => createInjectFetch(http, address));
  registerDemoRoutes(http, { demo, files, baseUrl });
  return demo;
}
