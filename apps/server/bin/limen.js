#!/usr/bin/env node
// The `limen` command: checks the runtime, then hands over to the command-line interface.
import './require-runtime.js';
import module from 'node:module';

module.enableCompileCache(); // Halves the time from the second start on.

const { loadProgram } = await import('../src/operations/start/built-program.ts');
await loadProgram('cli');
