// `npm run keyholder`: checks the runtime, then hands over to the key-holder's own process.
import './require-runtime.js';
import module from 'node:module';

module.enableCompileCache();

await import('../src/keyholder/main.ts');
