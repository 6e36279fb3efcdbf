// Portraits of people of known age, one after the other: there may be thousands, so no picture is kept.
import type { FaceModels } from '../../apps/launch/src/face/read/models.ts';
import { type AgedFace, type KnownPerson, reportRule } from './age-rule.ts';
import { readPortrait } from './read.ts';
import { AGE_THRESHOLDS } from './tables.ts';

interface Pictures {
  folder: string;
  files: readonly string[];
  people: ReadonlyMap<string, KnownPerson>;
}

export async function reportKnownAges(models: FaceModels, { folder, files, people }: Pictures): Promise<void> {
  const faces: AgedFace[] = [];
  let refused = 0;
  let unknown = 0;
  for (const [index, file] of files.entries()) {
    const person = people.get(file.slice(0, -'.jpg'.length));
    if (!person) {
      unknown += 1;
      continue;
    }
    const { examination } = await readPortrait(models, folder, file);
    if (examination?.age) faces.push({ ...person, lowerBound: examination.age.lowerBound });
    else refused += 1;
    if (index % 100 === 99) console.error(`${index + 1} of ${files.length} portraits read`);
  }
  console.log(
    `${faces.length} portraits of known age; in ${refused} more no face was found, of ${unknown} no age is known`,
  );
  reportRule(faces, AGE_THRESHOLDS);
  console.log('\nOne picture of each person, and one look: who may try again is another draw.');
}
