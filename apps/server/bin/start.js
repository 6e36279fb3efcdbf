// `npm start`: checks the runtime and the settings, builds what is due, then hands over to the service.
import './require-runtime.js';
import './survive-hangup.js';
import module from 'node:module';

module.enableCompileCache(); // Halves the time from the second start on.

const { loadProgram } = await import('../src/operations/start/built-program.ts');

// Before any slow step, so that a misspelled setting is reported at once.
const { requireSettings } = await loadProgram('require-settings');
requireSettings(process.env);

const { preparePagesForStart } = await import('../../../scripts/pages/prepare-pages.ts');
await preparePagesForStart();
const { prepareServiceForStart } = await import('../../../scripts/service/prepare-service.ts');
await prepareServiceForStart();

await loadProgram('main');
