// Locates SEAL's WebAssembly, which its package does not export. The page serves its own copy.
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';

/** Resolved from the token package, because the page does not depend on it. */
const LIBRARY = 'node-seal';

const folder = dirname(findPackageJSON(LIBRARY, import.meta.resolve('@limen/token/shared'))!);

/** Keeps a suffix such as `?url`. */
export const SEAL_ALIAS = [{ find: /^virtual:seal\.wasm(?=$|\?)/, replacement: join(folder, 'dist/seal_throws.wasm') }];
