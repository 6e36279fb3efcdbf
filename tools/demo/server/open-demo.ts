// Composes the demo: the host application and its page.
import { join } from 'node:path';
import { createPageFiles, type PageFiles } from '../../../apps/server/src/platform/http/pages/files.ts';
import type { DemoContext, OpenDemo } from '../../../apps/server/src/sessions/demo.ts';
import { createInjectFetch } from './inject-fetch.ts';
import { registerDemoRoutes } from './routes.ts';
import { createDemo } from './service.ts';

/** Output of `npm run build` for the page. */
const PAGE_FOLDER = join(import.meta.dirname, '../dist');

export const openDemo: OpenDemo = (context) => openDemoWith(createPageFiles(PAGE_FOLDER), context);

export function openDemoWith(files: PageFiles, context: DemoContext): ReturnType<OpenDemo> {
  const { http, baseUrl } = context;
  const demo = createDemo(context, (address) => createInjectFetch(http, address));
  registerDemoRoutes(http, { demo, files, baseUrl });
  return demo;
}
