// The pages for a test that needs them, also where vitest was started by itself: `npm test` has built them before.
import { listPages } from '../../../scripts/pages/page-list.ts';
import { preparePages } from '../../../scripts/pages/prepare-pages.ts';

/** These, or all. Call it before the application is made: that is when a page's files are listed. */
export async function ensurePages(...names: ('launch' | 'demo' | 'console')[]): Promise<void> {
  const pages = listPages().filter(({ name }) => names.length === 0 || names.some((wanted) => wanted === name));
  if (!(await preparePages({ pages, say: () => {} }))) throw new Error('The pages cannot be built; see: npm run build');
}
