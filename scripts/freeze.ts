// `npm run freeze`: rewrites the frozen names after an intended change. Released job kinds and seal
// places must stay.
import { writeFileSync } from 'node:fs';
import { FROZEN, frozenFile } from '../tests/frozen/names.ts';

for (const [name, render] of Object.entries(FROZEN)) writeFileSync(frozenFile(name), await render());
