// `npm run freeze`: writes the frozen names again after a change on purpose. Job kinds and seal places stay once released.
import { writeFileSync } from 'node:fs';
import { FROZEN, frozenFile } from '../tests/frozen/names.ts';

for (const [name, render] of Object.entries(FROZEN)) writeFileSync(frozenFile(name), await render());
