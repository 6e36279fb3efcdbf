// `npm start`: checks the runtime, then hands over to the service.
import './require-runtime.js';

await import('../src/main.ts');
