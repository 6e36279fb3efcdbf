#!/usr/bin/env node
// The `limen` command: checks the runtime, then hands over to the command-line interface.
import './require-runtime.js';

await import('../src/cli/main.ts');
