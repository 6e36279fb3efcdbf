// Where SEAL's WebAssembly is: its package does not name the file among what it exports, and the page serves its own copy.
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';

/** Of the package for tokens, from where it is looked for: the page has none of its own. */
const LIBRARY = 'node-seal';

const folder = dirname(findPackageJSON(LIBRARY, import.meta.resolve('@limen/token/shared'))!);

/** Whatever is asked for behind the name, as `?url` is, stays. */
export const SEAL_ALIAS = [{ find: /^virtual:seal\.wasm(?=$|\?)/, replacement: join(folder, 'dist/seal_throws.wasm') }];
