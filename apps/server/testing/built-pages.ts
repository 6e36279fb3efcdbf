// Builds the pages for tests if vitest was started directly. `npm test` has already built them.
import { listPages } from '../../../scripts/pages/page-list.ts';
import { preparePages } from '../../../scripts/pages/prepare-pages.ts';

/**
 * Builds these pages, or all. Call it before creating the application, which lists the files then.
 */
export async function ensurePages(...names: ('launch' | 'demo' | 'console')[]): Promise<void> {
  const pages = listPages().filter(({ name }) => names.length === 0 || names.some((wanted) => wanted === name));
  if (!(await preparePages({ pages, say: () => {} }))) throw new Error('The pages cannot be built; see: npm run build');
}
