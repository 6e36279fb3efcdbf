// `npm run keyholder`: checks the runtime, then hands over to the key-holder's own process.
import './require-runtime.js';
import './survive-hangup.js';
import module from 'node:module';

module.enableCompileCache();

const { loadProgram } = await import('../src/operations/start/built-program.ts');
await loadProgram('keyholder');
