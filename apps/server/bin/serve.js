// The service with its pages as they were built, for an image: nothing is looked for that could be built anew.
import './require-runtime.js';
import './survive-hangup.js';
import module from 'node:module';

module.enableCompileCache();

const { loadProgram } = await import('../src/operations/start/built-program.ts');
await loadProgram('main');
