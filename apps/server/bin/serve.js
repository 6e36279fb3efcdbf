// Starts the service with its built pages, for an image. Does not check whether a build is due.
import './require-runtime.js';
import './survive-hangup.js';
import module from 'node:module';

module.enableCompileCache();

const { loadProgram } = await import('../src/operations/start/built-program.ts');
await loadProgram('main');
