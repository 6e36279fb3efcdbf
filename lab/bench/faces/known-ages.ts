// Portraits of people of known age, streamed, because there may be thousands.
import type { AgeBound } from '@limen/plan';
import type { FaceModels } from '../../../apps/launch/src/face/read/models.ts';
import { type AgedFace, reportRule } from './age-rule.ts';
import type { KnownPeople } from './known-people.ts';
import { portraitName, readPortrait } from './read.ts';
import { AGE_THRESHOLDS } from './tables.ts';

interface Pictures {
  folder: string;
  files: readonly string[];
  known: KnownPeople;
  bound: AgeBound;
}

/** Maximum number of lines or names shown per kind. */
const SHOWN = 5;

export async function reportKnownAges(models: FaceModels, { folder, files, known, bound }: Pictures): Promise<void> {
  const faces: AgedFace[] = [];
  const refused: string[] = [];
  const aged = files.filter((file) => known.people.has(portraitName(file)));
  for (const [index, file] of aged.entries()) {
    const { examination } = await readPortrait(models, folder, file, bound);
    if (examination?.age)
      faces.push({ ...known.people.get(portraitName(file))!, lowerBound: examination.age.lowerBound });
    else refused.push(file);
    if (index % 100 === 99) console.error(`${index + 1} of ${aged.length} portraits read`);
  }
  console.log(`${faces.length} portrait${faces.length === 1 ? '' : 's'} of known age`);
  sayLeftOut('without a face that was found', refused);
  const { spread, mirror, years } = bound;
  console.log(`Taken off: ${spread} of the spread, ${mirror} of the mirror image’s difference, ${years} years.`);
  reportRule(faces, AGE_THRESHOLDS);
  console.log('\nOne picture of each person, and one look. Whoever may try again has another chance each time.');
}

/** Before loading the models, so that errors in the file appear quickly. */
export function reportFile(files: readonly string[], { people, unread }: KnownPeople): void {
  const names = new Set(files.map(portraitName));
  sayLeftOut(
    'of the file that cannot be read',
    unread.map(({ line, text, because }) => `line ${line} “${text}”: ${because}`),
    'line',
    '; ',
  );
  sayLeftOut(
    'of the file without a picture',
    [...people.keys()].filter((name) => !names.has(name)),
    'name',
  );
  sayLeftOut(
    'without a line in the file',
    files.filter((file) => !people.has(portraitName(file))),
  );
}

function sayLeftOut(which: string, names: readonly string[], thing = 'picture', between = ', '): void {
  if (names.length === 0) return;
  const more = names.length > SHOWN ? `${between}and ${names.length - SHOWN} more` : '';
  console.log(
    `Left out: ${names.length} ${thing}${names.length === 1 ? '' : 's'} ${which}: ${names.slice(0, SHOWN).join(between)}${more}`,
  );
}
