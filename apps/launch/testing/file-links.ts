// Resolves `x.wasm?url` like the bundler, for tests without one. Import it first, then the users of
// such imports: `await import('./runtime.ts')`.
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
