#!/usr/bin/env node
// The `limen` command: checks the runtime, then hands over to the command-line interface.
import './require-runtime.js';
import module from 'node:module';

module.enableCompileCache(); // from the second start on, half the time

const { loadProgram } = await import('../src/operations/start/built-program.ts');
await loadProgram('cli');
