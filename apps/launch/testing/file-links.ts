// Imports that the bundler makes links of files from (`x.wasm?url`), for tests that run without it. Import it first, and
// what has such imports only then: `await import('./runtime.ts')`.
import { registerHooks } from 'node:module';

const SUFFIX = '?url';

registerHooks({
  resolve(specifier, context, next) {
    if (!specifier.endsWith(SUFFIX)) return next(specifier, context);
    const { url } = next(specifier.slice(0, -SUFFIX.length), context);
    const source = `export default ${JSON.stringify(url)};`;
    return { url: `data:text/javascript,${encodeURIComponent(source)}`, format: 'module', shortCircuit: true };
  },
});
